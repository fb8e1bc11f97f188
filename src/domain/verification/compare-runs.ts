// Compares a command's runs before and after a fix: only the difference counts.
import { z } from 'zod'
import { compareTests, type TestComparison } from './compare-tests.ts'
import type { VerificationRun } from './gate-record.ts'

/**
 * A newly broken test makes a run `broken`, whatever the command's exit status. A command that is red before and after is `no_worse` if
 * its tests can be read, `broken` if some passed before and can't be read any more, else `unproven`. `passes` and `fails` also apply
 * without a run before.
 */
export const RunEffect = z.enum(['passes', 'fixed', 'broken', 'no_worse', 'unproven', 'fails', 'not_run'])
export type RunEffect = z.infer<typeof RunEffect>

export interface CommandComparison {
  readonly command: string
  /** Outcomes on the baseline and with the fix; null if it was not run. */
  readonly before: string | null
  readonly after: string | null
  readonly effect: RunEffect
  /** Both streams of the run with the fix: the head and the tail of each. */
  readonly output: string
  /** Present if its tests could be read both times. */
  readonly tests?: TestComparison | undefined
  /** The number of tests that passed before in a command that is still red, and whose tests can't be read any more. */
  readonly unseenTests?: number
  readonly changedFiles?: readonly string[]
}

export const VerificationVerdict = z.enum(['passed', 'failed', 'unverified'])
export type VerificationVerdict = z.infer<typeof VerificationVerdict>

export function compareRuns(
  before: readonly VerificationRun[],
  after: readonly VerificationRun[],
): CommandComparison[] {
  const commands = [...new Set([...after, ...before].map(({ command }) => command))]
  return commands.map((command) => {
    const [was, is] = [before, after].map((runs) => runs.find((run) => run.command === command))
    const compared = compareTests(was?.tests, is?.tests)
    const tests = was?.flaky && compared ? { ...compared, fixed: [] } : compared
    const unseen = countUnseenTests(was, is)
    return {
      command,
      before: was?.outcome ?? null,
      after: is?.outcome ?? null,
      effect: is?.setup ? 'broken' : classifyEffect(was, is?.outcome, tests, unseen),
      output: [is?.output, is?.errors].filter(Boolean).join('\n'),
      ...(tests ? { tests } : {}),
      ...(unseen > 0 ? { unseenTests: unseen } : {}),
      ...(is?.changedFiles ? { changedFiles: is.changedFiles } : {}),
    }
  })
}

export function describeUnseenTests(unseen: number): string {
  return `${unseen} test(s) that passed before are not seen any more`
}

function countUnseenTests(before: VerificationRun | undefined, after: VerificationRun | undefined): number {
  const isRed = [before, after].every((run) => run !== undefined && run.outcome !== 'passed')
  return isRed && !after?.tests ? Object.values(before?.tests ?? {}).filter((test) => test === 'passed').length : 0
}

function classifyEffect(
  before: VerificationRun | undefined,
  after: string | undefined,
  tests: TestComparison | undefined,
  unseen: number,
): RunEffect {
  if (after === undefined) return 'not_run'
  const passes = after === 'passed'
  if (before === undefined) return passes ? 'passes' : 'fails'
  // A green command counts as broken too: a pipe or a `|| true` may have hidden its exit status.
  if (passes && tests && tests.broken.length > 0) return 'broken'
  if (before.outcome === 'passed') return passes ? 'passes' : 'broken'
  if (passes) return before.flaky ? 'passes' : 'fixed'
  if (!tests) return unseen > 0 ? 'broken' : 'unproven'
  // The outcome of tests that no longer run is unknown while the command is red: it may have stopped before them.
  if (tests.broken.length + tests.gone.length > 0) return 'broken'
  return tests.passing > 0 ? 'no_worse' : 'unproven'
}

/** The verdict of the gate: something passes and nothing is newly broken; with `strict`, nothing fails at all. */
export function deriveVerdict(comparisons: readonly CommandComparison[], strict: boolean): VerificationVerdict {
  const has = (...effects: readonly RunEffect[]) => comparisons.some(({ effect }) => effects.includes(effect))
  if (has('broken') || (strict && has('no_worse', 'unproven', 'fails'))) return 'failed'
  return has('passes', 'fixed', 'no_worse') ? 'passed' : 'unverified'
}
