// Says what a command that is red on the untouched base will prove about fixes.
import type { VerificationRun } from './gate-record.ts'

export const COMPARISON_ADVICE =
  'To have a red check compared test by test, let it print TAP or name the JUnit files that it writes (verification.reports), and give build and tests as commands of their own (--verify "make" --verify "make test")'

/** Whether nothing in a red command is seen to pass: it proves no fix that leaves it red. */
export function isMute({ outcome, tests, summary }: VerificationRun): boolean {
  if (outcome === 'passed') return false
  if (tests) return !Object.values(tests).includes('passed')
  const runners = summary?.runners ?? []
  return runners.some(({ state }) => state !== 'ran') || !runners.some(({ passed }) => passed > 0)
}
