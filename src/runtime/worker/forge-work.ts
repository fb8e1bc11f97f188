// Tells whether something is to be brought to a forge now. That needs no person, so the instance stays for it.
import { Client } from '@temporalio/client'
import { COMMAND_WORKFLOW, FORGE_WORKFLOWS } from '../../domain/workflow-types/index.ts'
import type { WorkerContext } from '../instance/connect-worker.ts'

export async function hasForgeWork({ connection, namespace, taskQueue }: WorkerContext): Promise<boolean> {
  const client = new Client({ connection, namespace })
  const types = Object.values(FORGE_WORKFLOWS).map((type) => `'${type}'`)
  const ofHome = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`
  if ((await client.workflow.count(`WorkflowType IN (${types.join(', ')}) AND ${ofHome}`)).count > 0) return true
  for await (const { workflowId } of client.workflow.list({
    query: `WorkflowType = '${COMMAND_WORKFLOW}' AND ${ofHome}`,
  })) {
    if (await isAtWork(client, workflowId)) return true
  }
  return false
}

/** A workflow that waits for its session is not at work: that session keeps the instance itself, unless it waits for a person. */
async function isAtWork(client: Client, workflowId: string): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(workflowId).describe()
  const { pendingActivities, pendingChildren, pendingWorkflowTask } = raw
  return Boolean(pendingActivities?.length || pendingWorkflowTask) || !pendingChildren?.length
}
