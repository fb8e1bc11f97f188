// A session's time: from its start by the clock, but for what it waits for people. A call of an agent is told when it has to be over
// and ends by itself; the operator's own commands are ended from here.
import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow'
import { SESSION_TIME_OVER } from '../../domain/budget/limits.ts'
import type { CallFailure } from '../../domain/session/failure.ts'

export interface SessionDeadline {
  /** As things stand now; undefined where nothing limits it. */
  endsAt(): number | undefined
  /** People took so many milliseconds. */
  addWaitedMs(ms: number): void
}

export const OUT_OF_TIME_FAILURE: CallFailure = { class: 'budget', ...SESSION_TIME_OVER }

/** For a step's input: nothing at all where there is no limit. */
export function toDeadlineInput(time: SessionDeadline): { readonly endsAt?: number } {
  const endsAt = time.endsAt()
  return endsAt === undefined ? {} : { endsAt }
}

/** `otherwise` is the answer where the time is over before the work is. */
export async function runWithinDeadline<T>(time: SessionDeadline, work: () => Promise<T>, otherwise: T): Promise<T> {
  const endsAt = time.endsAt()
  if (endsAt === undefined) return await work()
  const left = endsAt - Date.now()
  if (left <= 0) return otherwise
  const whole = CancellationScope.current()
  const scope = new CancellationScope({ cancellable: true, timeout: left })
  try {
    return await scope.run(work)
  } catch (error) {
    const isOver = scope.consideredCancelled && !whole.consideredCancelled
    if (isOver && (isCancellation(error) || error instanceof ActivityFailure)) return otherwise
    throw error
  }
}
