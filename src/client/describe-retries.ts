// Describes the steps of a session that fail and are tried again: Temporal counts them, and no event tells of them.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client'
import { adviseOnFailure } from '../domain/session/advise-on-failure.ts'
import { truncateText } from '../domain/text/truncate.ts'

/** Many a failure passes by itself within this time. */
const UNTOLD_MS = 10_000
const RECENT_EVENTS = 50
const MAX_REASON_CHARACTERS = 300

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number]

/** Undefined if nothing has failed for longer than ten seconds. */
export async function describeRetries(
  client: Client,
  { raw, workflowId, runId }: WorkflowExecutionDescription,
): Promise<string | undefined> {
  const failing = (raw.pendingActivities ?? []).filter(({ attempt, lastFailure }) => (attempt ?? 1) > 1 && lastFailure)
  if (failing.length === 0) return undefined
  const begun = await findBeginnings(client, workflowId, runId)
  const old = failing.filter(({ activityId }) => Date.now() - (begun.get(`${activityId}`) ?? 0) > UNTOLD_MS)
  return old.map((pending) => describeRetry(pending, begun.get(`${pending.activityId}`))).join('; ') || undefined
}

function describeRetry({ activityType, attempt, maximumAttempts, lastFailure }: Pending, since?: number): string {
  const message = rootMessage(lastFailure)
  const most = maximumAttempts ? ` of ${maximumAttempts}` : ''
  const from = since === undefined ? '' : ` since ${new Date(since).toTimeString().slice(0, 8)}`
  const advice = adviseOnFailure(message)
  // The arguments of a git command say less than where it failed.
  const short = message.replace(/\s+/g, ' ').replace(/^git (\S+) .* failed in /, 'git $1 failed in ')
  const reason = truncateText(short, MAX_REASON_CHARACTERS)
  return `the step ${activityType?.name} has failed ${(attempt ?? 2) - 1}${most} times${from} and is tried again: ${reason}${advice ? `. What helps: ${advice}` : ''}`
}

function rootMessage(failure: Pending['lastFailure']): string {
  let root = failure
  while (root?.cause) root = root.cause
  return root?.message || 'it told no reason'
}

/** When each of the latest activities was begun: a retry has the time of its last try only. */
async function findBeginnings(client: Client, workflowId: string, runId: string): Promise<Map<string, number>> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: RECENT_EVENTS,
  })
  return new Map(
    (history?.events ?? []).flatMap(({ eventTime, activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityId ? [[scheduled.activityId, Number(eventTime?.seconds ?? 0) * 1000] as const] : [],
    ),
  )
}
