// Finds which session a workflow works on. Sessions of one order, and those of earlier versions, may share a workflow id, so the memo
// names the session; while an order's memo is not written yet, the id of its first run does.
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client'
import type { SessionRecord } from '../domain/session/session.ts'
import { SESSION_MEMO } from '../domain/workflow-types/temporal-names.ts'

export type SessionReference = Pick<SessionRecord, 'session_id' | 'workflow_id' | 'run_id'>

export async function describeWorkflow(
  client: Client,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(workflowId).describe()
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}

/** Undefined for an order that has no session yet. */
export function readSessionMemo({ memo }: Pick<WorkflowExecutionDescription, 'memo'>): string | undefined {
  const sessionId = memo?.[SESSION_MEMO]
  return typeof sessionId === 'string' ? sessionId : undefined
}

export function getFirstRunId({ raw, runId }: WorkflowExecutionDescription): string {
  return raw.workflowExecutionInfo?.firstRunId || runId
}

export async function isSessionRunning(client: Client, session: SessionReference): Promise<boolean> {
  return (await findSessionRun(client, session)) !== undefined
}

/** The first run of the session's workflow, while that runs. */
export async function findSessionRun(
  client: Client,
  { session_id, workflow_id, run_id }: SessionReference,
): Promise<string | undefined> {
  const found = await describeWorkflow(client, workflow_id)
  if (found?.status.name !== 'RUNNING') return undefined
  const firstRun = getFirstRunId(found)
  return readSessionMemo(found) === session_id || firstRun === run_id ? firstRun : undefined
}
