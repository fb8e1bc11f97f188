// Starts what a comment on a pull request asks for, once, and wakes the watch over a pull request if there is one.
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import { formatCommandId } from '../domain/forge/command-id.ts'
import { COMMAND_WORKFLOW, type PullCommandInput, WATCH_WAKE_SIGNAL } from '../domain/workflow-types/index.ts'

/** False if it was started before, whoever did. */
export async function startPullCommand(client: Client, taskQueue: string, input: PullCommandInput): Promise<boolean> {
  try {
    await client.workflow.start(COMMAND_WORKFLOW, {
      ...{ workflowId: formatCommandId(input), taskQueue, args: [input], workflowTaskTimeout: '3s' },
      ...{ workflowIdReusePolicy: 'REJECT_DUPLICATE' },
      staticSummary: `the comment ${input.commentId} on ${input.name}`,
    })
    return true
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false
    throw error
  }
}

/** False if nothing watches. */
export async function wakeWatch(client: Client, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).signal(WATCH_WAKE_SIGNAL)
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}
