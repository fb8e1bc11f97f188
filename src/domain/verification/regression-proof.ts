// A fix is proven if its tests fail on the base, where the base alone does not, and pass with the fix. The proof is evidence, not a
// gate: a fix without one may be right.

import { joinList } from '../text/join-list.ts'
import { type CommandComparison, compareRuns } from './compare-runs.ts'
import type { RegressionProof, VerificationRun } from './gate-record.ts'

export interface ProofRuns {
  readonly base: readonly VerificationRun[]
  /** Runs on the base with the tests, but without the fix. */
  readonly withoutFix: readonly VerificationRun[]
  readonly withFix: readonly VerificationRun[]
}

/** Gap: a test also counts if it fails only for a name that the fix adds (unless its file was seen not to load), or at random. */
export function deriveRegressionProof(
  about: Pick<RegressionProof, 'codes' | 'files'>,
  runs: ProofRuns | undefined,
): RegressionProof {
  const not = (why: string): RegressionProof => createUnprovenProof(about, why)
  if (!runs) return not('no test was added or changed')
  const setup = runs.withoutFix.find((run) => run.setup)
  if (setup) return not(`the setup failed where only the tests were added to the base: ${setup.command}`)
  const compared = compareRuns(runs.base, runs.withoutFix)
  const red = compared.filter(({ effect, tests }) => effect === 'broken' || (tests?.broken.length ?? 0) > 0)
  const mended = red.flatMap(
    (comparison) => findMended(comparison, runs.withFix) ?? findMendedByCounts(comparison.command, runs) ?? [],
  )
  if (mended.length > 0) {
    const [commands, tests] = [mended.map(({ command }) => command), mended.flatMap(({ names }) => names)]
    const why = `without the fix ${tests.length === 0 ? commands.join(', ') : formatTestNames(tests)} fails, with it it passes`
    return { ...about, verdict: 'proven', why, commands, tests }
  }
  const green = red.filter(({ command }) => findRun(runs.withFix, command)?.outcome === 'passed')
  if (green.length > 0) {
    const names = green.flatMap(({ tests }) => tests?.broken ?? [])
    return not(
      `${formatTestNames(names)} fails without the fix, and with it it does not pass: it is skipped, or not there`,
    )
  }
  if (red.length > 0) return not(`${red.map(({ command }) => command).join(', ')} fails with the fix, too`)
  const isBlind = compared.every(({ after, tests, summaries }) => after !== 'passed' && !tests && !summaries)
  if (isBlind) return not('every command failed on the base already: nothing more can be seen to fail')
  return not('its tests pass without the fix, too')
}

/** The tests of a command that the fix makes pass; undefined if it shows nothing. */
function findMended({ command, tests }: CommandComparison, fixed: readonly VerificationRun[]) {
  const run = findRun(fixed, command)
  const broken = tests?.broken ?? []
  const names = broken.filter((name) => run?.tests?.[name] === 'passed')
  // A green command proves nothing about tests that did not pass in it: they are skipped, or stood for a file that did not load.
  const isKnown = broken.length > 0 && run?.tests !== undefined
  return names.length > 0 || (run?.outcome === 'passed' && !isKnown) ? { command, names } : undefined
}

/** For a command that is red either way: tests that its runner names as failed without the fix, and not with it. */
function findMendedByCounts(command: string, { base, withoutFix, withFix }: ProofRuns) {
  const [was, without, is] = [base, withoutFix, withFix].map((runs) => findRun(runs, command))
  if (!was || !without || !is) return undefined
  const [now] = compareRuns([was], [is])
  const [back] = compareRuns([is], [without])
  // A file that does not load without the fix shows nothing about its tests.
  if (now?.effect !== 'no_worse' || countErrors(without) > countErrors(is)) return undefined
  const names = back?.summaries?.newlyFailing ?? []
  return names.length > 0 ? { command, names } : undefined
}

function countErrors({ summary }: VerificationRun): number {
  return (summary?.runners ?? []).reduce((sum, { errors, failedFiles }) => sum + errors + failedFiles, 0)
}

function findRun(runs: readonly VerificationRun[], command: string): VerificationRun | undefined {
  return runs.find((run) => run.command === command)
}

function formatTestNames(names: readonly string[]): string {
  return joinList(names, ', ', 5)
}

export function createUnprovenProof(about: Pick<RegressionProof, 'codes' | 'files'>, why: string): RegressionProof {
  return { ...about, verdict: 'not_proven', why, commands: [], tests: [] }
}
