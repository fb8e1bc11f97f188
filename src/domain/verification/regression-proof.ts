// Whether a test that came with a fix proves it: on the base, with nothing of the fix but its tests, it has to fail where the base alone
// does not, and with the fix it has to pass. Evidence, and no gate: a fix without a proof may be right.
// Gap: a test that only misses a name that the fix brings fails all the same, unless it is seen that its file was not even loaded; and so does
// one that fails at random.

import { joinList } from '../text/join-list.ts'
import { type CommandComparison, compareRuns } from './compare-runs.ts'
import type { RegressionProof, VerificationRun } from './gate-record.ts'

export interface ProofRuns {
  readonly base: readonly VerificationRun[]
  /** On the base with the tests, and without the fix. */
  readonly withoutFix: readonly VerificationRun[]
  readonly withFix: readonly VerificationRun[]
}

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
  const mended = red.flatMap((comparison) => findMended(comparison, runs.withFix) ?? [])
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
  const isBlind = compared.every(({ after, tests }) => after !== 'passed' && !tests)
  if (isBlind) return not('every command failed on the base already: nothing more can be seen to fail')
  return not('its tests pass without the fix, too')
}

/** What this command shows to pass with the fix; undefined where nothing. */
function findMended({ command, tests }: CommandComparison, fixed: readonly VerificationRun[]) {
  const run = findRun(fixed, command)
  const broken = tests?.broken ?? []
  const names = broken.filter((name) => run?.tests?.[name] === 'passed')
  // A green command says nothing for tests that are known not to pass in it: they are skipped, or stood for a file that could not be loaded.
  const isKnown = broken.length > 0 && run?.tests !== undefined
  return names.length > 0 || (run?.outcome === 'passed' && !isKnown) ? { command, names } : undefined
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
