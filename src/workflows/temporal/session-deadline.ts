// A session's time runs by the clock from its start, except while it waits for people. An agent call gets its deadline and ends by
// itself; the operator's own commands are cancelled from here.
import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow'
import { SESSION_TIME_OVER } from '../../domain/budget/limits.ts'
import type { CallFailure } from '../../domain/session/failure.ts'

export interface SessionDeadline {
  /** The end as things stand now; undefined if nothing limits it. */
  endsAt(): number | undefined
  /** Extends the time by how long people took. */
  addWaitedMs(ms: number): void
}

export const OUT_OF_TIME_FAILURE: CallFailure = { class: 'budget', ...SESSION_TIME_OVER }

/** For a step's input: empty if there is no limit. */
export function toDeadlineInput(time: SessionDeadline): { readonly endsAt?: number } {
  const endsAt = time.endsAt()
  return endsAt === undefined ? {} : { endsAt }
}

/** `otherwise` is the result if the time is over before the work is. */
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
