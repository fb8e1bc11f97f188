// What a command proves: only the difference to what a fix stands on counts.
import { z } from 'zod'
import { compareTests, type TestComparison } from './compare-tests.ts'
import type { VerificationRun } from './gate-record.ts'

/**
 * A test that is newly broken is `broken`, whatever the command's exit status. Else red before and red after is `no_worse` where its tests
 * can be read, `broken` where some passed before and none can be read any more, and `unproven` where nobody can tell. `passes` and `fails`
 * also where nobody knows how it was before.
 */
export const RunEffect = z.enum(['passes', 'fixed', 'broken', 'no_worse', 'unproven', 'fails', 'not_run'])
export type RunEffect = z.infer<typeof RunEffect>

export interface CommandComparison {
  readonly command: string
  /** What it said on what the fix stands on, and with the fix; null where it was not run. */
  readonly before: string | null
  readonly after: string | null
  readonly effect: RunEffect
  /** Of the run with the fix, both streams: the head and the tail of each. */
  readonly output: string
  /** Where its tests could be read both times. */
  readonly tests?: TestComparison | undefined
  /** So many tests passed before, in a command that is red as it was, and of which nothing can be read any more. */
  readonly unseenTests?: number
  /** Files of the tree that it changed while it ran. */
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
  // Also in a green command: a pipe or a `|| true` may have taken its exit status away.
  if (passes && tests && tests.broken.length > 0) return 'broken'
  if (before.outcome === 'passed') return passes ? 'passes' : 'broken'
  if (passes) return before.flaky ? 'passes' : 'fixed'
  if (!tests) return unseen > 0 ? 'broken' : 'unproven'
  // Of what is no longer run nobody knows, as long as the command is red: it may have broken off before.
  if (tests.broken.length + tests.gone.length > 0) return 'broken'
  return tests.passing > 0 ? 'no_worse' : 'unproven'
}

/** As the gate judges: nothing newly broken and something that passes; with `strict` nothing that fails. */
export function deriveVerdict(comparisons: readonly CommandComparison[], strict: boolean): VerificationVerdict {
  const has = (...effects: readonly RunEffect[]) => comparisons.some(({ effect }) => effects.includes(effect))
  if (has('broken') || (strict && has('no_worse', 'unproven', 'fails'))) return 'failed'
  return has('passes', 'fixed', 'no_worse') ? 'passed' : 'unverified'
}
