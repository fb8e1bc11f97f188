// Signals to the command of a comment on a pull request that its session waits, or goes on. The signal carries nothing.
import { Context } from '@temporalio/activity'
import { findCommandOfSession } from '../../domain/forge/command-id.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { COMMAND_LOOK_SIGNAL } from '../../domain/workflow-types/temporal-names.ts'

export async function signalCommand({ workflow_id }: Pick<SessionRecord, 'workflow_id'>): Promise<void> {
  const command = findCommandOfSession(workflow_id)
  if (command === undefined) return
  try {
    await Context.current().client.workflow.getHandle(command).signal(COMMAND_LOOK_SIGNAL)
  } catch (error) {
    // Somebody has ended it: the session goes on.
    if ((error as Error).name !== 'WorkflowNotFoundError') throw error
  }
}
