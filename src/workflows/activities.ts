// How each activity is scheduled: on which queue, how long it may take, what it is called in the Temporal UI.
// The number of attempts bounds lost workers and infrastructure trouble only; verdicts and failed calls are values. There is
// no schedule-to-close: a machine may be off over the weekend, and its session must not notice.
import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow'
import type { OpenedSession, SessionActivities } from '../domain/protocol.ts'

/** What a process gets on top of its own deadline to be ended, swept up after and reported. */
const GRACE_SECONDS = 45
const GIT_SECONDS = 120
const HEARTBEAT_FALLBACK_SECONDS = 6

function run(options: ActivityOptions, heartbeatSeconds: number): SessionActivities {
  return proxyActivities<SessionActivities>({
    heartbeatTimeout: `${heartbeatSeconds}s`,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 10 },
    ...options,
  })
}

export function sharedActivities(summary: string): SessionActivities {
  return run({ startToCloseTimeout: '10 minutes', summary }, HEARTBEAT_FALLBACK_SECONDS)
}

export type Work = 'fix' | 'challenge' | 'verify' | 'git'

export function hostActivities({ queue, clocks }: OpenedSession, work: Work, summary: string): SessionActivities {
  // A reply that can't be used is followed by a repair question and one fresh call: three processes at the most.
  const seconds = {
    fix: clocks.fixSeconds,
    challenge: 3 * clocks.challengeSeconds,
    verify: clocks.verifySeconds,
    git: GIT_SECONDS,
  }[work]
  const options = { taskQueue: queue, startToCloseTimeout: `${Math.ceil(seconds) + GRACE_SECONDS}s`, summary } as const
  return run(options, clocks.heartbeatSeconds)
}
