// An instance that ends at its start is started again a few times. People are told why it ended.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { Home } from '../../runtime/home/home.ts'
import { describeLogEnd } from '../../runtime/instance/log-end.ts'

/** The cause is seldom over a moment later, and each start costs seconds of CPU. */
export const PAUSES_BEFORE_STARTS_MS = [0, 2_000, 5_000]

export function describeRestart(home: Home, isAtStart: boolean): string {
  if (!isAtStart) return 'the instance of Fixwright is gone: starting another'
  return `the instance of Fixwright ended at its start: starting it again; ${describeLogEnd(home)}`
}

export function describeFailedStarts(home: Home, count: number): FixwrightError {
  return new FixwrightError(
    'instance_unavailable',
    `the instance of Fixwright ended at its start, ${count} times one after the other; ${describeLogEnd(home)}\n` +
      'Nothing is lost: mend that, and the same command goes on.',
  )
}
