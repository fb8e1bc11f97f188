// Compares a command's runs before and after a fix: only the difference counts.
import { z } from 'zod'
import type { VerificationRun } from './gate-record.ts'
import { compareSummaries, type SummaryComparison } from './summaries/compare-summaries.ts'
import type { TestOutcome, TestOutcomes } from './test-outcomes.ts'

/**
 * A newly broken test makes a run `broken`, whatever the command's exit status. A command that is red before and after is `no_worse` if
 * its tests can be read, `broken` if some passed before and can't be read any more; if they never could, what its runners summed up
 * decides, and else it is `unproven`. `passes` and `fails` also apply without a run before.
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
  /** What its runners summed up, beside the baseline. Present if it counted, as its tests could not be read both times. */
  readonly summaries?: SummaryComparison
  readonly changedFiles?: readonly string[]
}

export const VerificationVerdict = z.enum(['passed', 'failed', 'unverified'])
export type VerificationVerdict = z.infer<typeof VerificationVerdict>

export interface ComparedTrees {
  /** Nothing that tests, or runs tests, differs: a test that passed before and is not run any more has been kept from running. */
  readonly sameTests?: boolean | undefined
}

export function compareRuns(
  before: readonly VerificationRun[],
  after: readonly VerificationRun[],
  { sameTests = false }: ComparedTrees = {},
): CommandComparison[] {
  const commands = [...new Set([...after, ...before].map(({ command }) => command))]
  return commands.map((command) => {
    const [was, is] = [before, after].map((runs) => runs.find((run) => run.command === command))
    const compared = compareTests(was?.tests, is?.tests)
    const tests = was?.flaky && compared ? { ...compared, fixed: [] } : compared
    const unseen = countUnseenTests(was, is)
    const summaries = tests ? undefined : compareRunSummaries(was, is, sameTests)
    const effect = is?.setup ? 'broken' : classifyEffect(was, is?.outcome, { tests, unseen, summaries, sameTests })
    return {
      command,
      before: was?.outcome ?? null,
      after: is?.outcome ?? null,
      effect,
      output: [is?.output, is?.errors].filter(Boolean).join('\n'),
      ...(tests ? { tests } : {}),
      ...(unseen > 0 ? { unseenTests: unseen } : {}),
      ...(summaries && (effect === 'broken' || effect === 'no_worse') ? { summaries } : {}),
      ...(is?.changedFiles ? { changedFiles: is.changedFiles } : {}),
    }
  })
}

export function describeUnseenTests(unseen: number): string {
  return `${unseen} test(s) that passed before are not seen any more`
}

function countUnseenTests(before: VerificationRun | undefined, after: VerificationRun | undefined): number {
  if (!before || !after || after.tests) return 0
  const isGreen = after.outcome === 'passed'
  // A green command is believed if anything shows that tests ran; one that says nothing may have ended before them.
  const isMute = isGreen && !after.summary?.runners.some(({ passed }) => passed > 0)
  const isRed = !isGreen && before.outcome !== 'passed'
  return isRed || isMute ? Object.values(before.tests ?? {}).filter((test) => test === 'passed').length : 0
}

function compareRunSummaries(
  before: VerificationRun | undefined,
  after: VerificationRun | undefined,
  sameTests: boolean,
): SummaryComparison | undefined {
  if (!before || !after) return undefined
  const compared = compareSummaries(before.summary, after.summary, {
    isGreen: after.outcome === 'passed',
    wasGreen: before.outcome === 'passed',
    sameTests,
  })
  return compared.effect === 'unknown' ? undefined : compared
}

interface SeenTests {
  readonly tests: TestComparison | undefined
  readonly unseen: number
  readonly summaries: SummaryComparison | undefined
  readonly sameTests: boolean
}

function classifyEffect(
  before: VerificationRun | undefined,
  after: string | undefined,
  { tests, unseen, summaries, sameTests }: SeenTests,
): RunEffect {
  if (after === undefined) return 'not_run'
  const passes = after === 'passed'
  if (before === undefined) return passes ? 'passes' : 'fails'
  // A green command counts as broken too: a pipe or a `|| true` may have hidden its exit status.
  const isBroken =
    tests &&
    (tests.broken.length > 0 ||
      (tests.gone.length > 0 && tests.passing === 0) ||
      // As many new names as old ones: these tests are named anew in every run.
      (sameTests && tests.gone.length > tests.appeared))
  if (passes && (isBroken || unseen > 0 || summaries?.effect === 'broken')) return 'broken'
  if (before.outcome === 'passed') return passes ? 'passes' : 'broken'
  if (passes) return before.flaky ? 'passes' : 'fixed'
  if (!tests) {
    if (unseen > 0 || summaries?.effect === 'broken') return 'broken'
    return summaries?.effect === 'no_worse' ? 'no_worse' : 'unproven'
  }
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

export interface TestComparison {
  readonly fixed: readonly string[]
  /** Tests that fail now, and passed before or did not exist. */
  readonly broken: readonly string[]
  readonly broken_before: readonly string[]
  /** Tests that passed before, and are now skipped or missing. */
  readonly gone: readonly string[]
  /** The number of tests that were not there before. */
  readonly appeared: number
  /** The number of tests that pass now. */
  readonly passing: number
}

/** Node names a script without tests of its own by its path: one that ended before its tests has not given them other names. */
const SCRIPT = /\.[cm]?[jt]sx?$/

/** Compares one command's tests, of which only the difference counts; undefined if either could not be read. */
export function compareTests(
  before: TestOutcomes | undefined,
  after: TestOutcomes | undefined,
): TestComparison | undefined {
  if (!before || !after) return undefined
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const those = (of: ReadonlyMap<string, TestOutcome>, matches: (name: string) => boolean): string[] =>
    [...of.keys()].filter(matches)
  return {
    fixed: those(is, (name) => is.get(name) === 'passed' && was.get(name) === 'failed'),
    broken: those(is, (name) => is.get(name) === 'failed' && was.get(name) !== 'failed'),
    broken_before: those(is, (name) => is.get(name) === 'failed' && was.get(name) === 'failed'),
    gone: those(was, (name) => was.get(name) === 'passed' && !['passed', 'failed'].includes(is.get(name) ?? '')),
    appeared: those(is, (name) => !was.has(name) && !SCRIPT.test(name)).length,
    passing: those(is, (name) => is.get(name) === 'passed').length,
  }
}
