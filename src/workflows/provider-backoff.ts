// Waits for a provider at its limit, until the time that it named or with a growing pause, but not for ever. It uses up no iteration.
import { isIssueLimit, SESSION_TIME_OVER } from '../domain/budget/limits.ts'
import type { CallFailure } from '../domain/session/failure.ts'
import { formatStepPart } from '../domain/session/step-id.ts'
import type { Ending, Timeouts } from '../domain/workflow-types/index.ts'
import type { WaitPorts } from './stage/stage-ports.ts'

export type RetryResult<T> =
  | { readonly kind: 'answered'; readonly stepId: string; readonly outcome: T }
  /** `outcome` is that of the agent call that ended it. */
  | { readonly kind: 'stop'; readonly ending: Ending; readonly stepId: string; readonly outcome: T }

/**
 * `ask` gets the step id of this try and the outcome before. A call that used up its lane's share is made again at once, until the session's
 * budget is used up. Failures other than limits, unusable work and issue budgets end the session. Where `waitForKey` is given, a refused
 * key waits for a person first: what was paid for before is judged when there is another.
 */
export async function retryWhileLimited<T extends { readonly failure?: CallFailure | undefined }>(
  stepId: string,
  timeouts: Timeouts,
  ports: WaitPorts,
  ask: (stepId: string, before: T | undefined) => Promise<T>,
  waitForKey?: (why: string, seconds: number) => Promise<boolean>,
): Promise<RetryResult<T>> {
  const started = ports.now()
  let pause = timeouts.backoffMinSeconds * 1000
  let before: T | undefined
  for (let attempt = 1; ; attempt += 1) {
    const tryId = attempt === 1 ? stepId : formatStepPart(stepId, { kind: 'retry', n: attempt })
    const outcome = await ask(tryId, before)
    const failure = outcome.failure
    if (!failure || failure.class === 'no_usable_work') return { kind: 'answered', stepId: tryId, outcome }
    // An issue's limit ends the work on that issue, not the session.
    if (failure.class === 'budget' && isIssueLimit(failure.limit)) return { kind: 'answered', stepId: tryId, outcome }
    if (failure.class === 'budget' && failure.isLaneShare) {
      before = outcome
      continue
    }
    const stop = (ending: Ending): RetryResult<T> => ({ kind: 'stop', ending, stepId: tryId, outcome })
    if (
      failure.class === 'access' &&
      failure.credentials &&
      (await waitForKey?.(failure.detail, timeouts.giveUpAfterSeconds))
    ) {
      before = outcome
      continue
    }
    if (failure.class !== 'limit') return stop({ class: failure.class, detail: failure.detail })

    const deadline = started + timeouts.giveUpAfterSeconds * 1000
    const until = Math.max(failure.until ?? ports.now() + pause, ports.now() + timeouts.backoffMinSeconds * 1000)
    if (until > deadline) return stop({ class: 'limit', detail: `${failure.detail}; gave up waiting for it` })
    if (until >= (ports.endsAt() ?? Number.POSITIVE_INFINITY)) {
      return stop({ class: 'budget', detail: `${failure.detail}; by then ${SESSION_TIME_OVER.detail}` })
    }
    const waitId = formatStepPart(stepId, { kind: 'provider_wait', n: attempt })
    await ports.wait({ stepId: waitId, kind: 'limit', why: failure.detail, until })
    if (failure.until === undefined) pause = Math.min(pause * 2, timeouts.backoffMaxSeconds * 1000)
    before = outcome
  }
}
