// How each activity is scheduled: its queue, its time limit, its name in the Temporal UI. No activity has a schedule-to-close timeout:
// a machine may be off over the weekend, and its session must not notice.
import type { RetryPolicy } from '@temporalio/common'
import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow'
import { longWorkQueue, type OpenedSession, type SessionActivities } from '../../domain/protocol/index.ts'

/** Time beyond a process's own deadline to end it, clean up after it and report. */
const GRACE_SECONDS = 45
const GIT_SECONDS = 120
const HEARTBEAT_FALLBACK_SECONDS = 5

/** Ten tries in about two minutes, for lost workers and infrastructure trouble; verdicts and failed agent calls are values. */
const RETRY: RetryPolicy = {
  initialInterval: '500ms',
  backoffCoefficient: 2,
  maximumInterval: '30s',
  maximumAttempts: 10,
}
/** Every session ends through its closing, so that is tried for hours, until a full disk has space again. */
const CLOSING_RETRY: RetryPolicy = { ...RETRY, maximumAttempts: 500 }

function proxyWithOptions(options: ActivityOptions, heartbeatSeconds: number): SessionActivities {
  return proxyActivities<SessionActivities>({
    heartbeatTimeout: `${heartbeatSeconds}s`,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: RETRY,
    ...options,
  })
}

/** Activities of the home that has the session; without a queue of its own, any worker of the workflow's queue takes them. */
export function proxyHomeActivities(taskQueue: string | undefined, summary: string, retry = RETRY): SessionActivities {
  const where = taskQueue === undefined ? {} : { taskQueue }
  return proxyWithOptions({ ...where, startToCloseTimeout: '10 minutes', summary, retry }, HEARTBEAT_FALLBACK_SECONDS)
}

export type WorkKind = 'fix' | 'talk' | 'challenge' | 'verify' | 'git'

export function proxyHostActivities(
  { queue, timeouts }: OpenedSession,
  work: WorkKind,
  summary: string,
  retry = RETRY,
): SessionActivities {
  const seconds = {
    fix: timeouts.fixSeconds,
    // An unreadable reply is asked for again, and then once more in a new conversation.
    talk: 2 * timeouts.fixSeconds,
    challenge: timeouts.challengeSeconds,
    verify: timeouts.verifySeconds,
    git: GIT_SECONDS,
  }[work]
  const startToCloseTimeout = `${Math.ceil(seconds) + GRACE_SECONDS}s` as const
  const taskQueue = work === 'git' ? queue : longWorkQueue(queue)
  return proxyWithOptions({ taskQueue, startToCloseTimeout, summary, retry }, timeouts.heartbeatSeconds)
}

export function proxyClosingActivities(
  opened: OpenedSession | undefined,
  homeQueue: string | undefined,
): SessionActivities {
  const summary = 'close the session'
  return opened
    ? proxyHostActivities(opened, 'git', summary, CLOSING_RETRY)
    : proxyHomeActivities(homeQueue, summary, CLOSING_RETRY)
}
