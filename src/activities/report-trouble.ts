// Tells a session's workflow of a step that fails again and again, so that its details in Temporal's UI say so. No event does: the store
// may be what is in trouble.
import type { Context } from '@temporalio/activity'
import { adviseOnFailure } from '../domain/session/advise-on-failure.ts'
import { truncateText } from '../domain/text/truncate.ts'
import { TROUBLE_SIGNAL } from '../domain/workflow-types/temporal-names.ts'

/** Many a failure passes by itself within this time. */
const UNREPORTED_MS = 10_000
const SEND_WITHIN_MS = 2_000

export async function reportTrouble(context: Context, error: unknown): Promise<void> {
  const { activityType, attempt, scheduledTimestampMs, workflowExecution } = context.info
  if (workflowExecution === undefined || Date.now() - scheduledTimestampMs < UNREPORTED_MS) return
  const reason = error instanceof Error ? error.message : String(error)
  const advice = adviseOnFailure(reason)
  const since = new Date(scheduledTimestampMs).toISOString().slice(0, 19).replace('T', ' ')
  const text = `${activityType} has failed ${attempt} times since ${since} UTC: ${truncateText(reason, 150)}${advice ? `. What helps: ${advice}` : ''}`
  try {
    const { workflowId, runId } = workflowExecution
    const { client } = context
    const handle = client.workflow.getHandle(workflowId, runId)
    await client.withDeadline(Date.now() + SEND_WITHIN_MS, () => handle.signal(TROUBLE_SIGNAL, text))
  } catch {
    // The failure itself is what counts.
  }
}
