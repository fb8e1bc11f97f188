// Whether a test that came with a fix proves it: on the base, with nothing of the fix but its tests, it has to fail where the base alone
// does not, and with the fix it has to pass. Evidence, and no gate: a fix without a proof may be right.
// Gap: a test that only misses a name that the fix brings fails all the same, and so does one that fails at random.
import { compareRuns, type RegressionProof, type VerificationRun } from './evidence.ts'

export interface ProofRuns {
  readonly base: readonly VerificationRun[]
  /** On the base with the tests, and without the fix. */
  readonly without: readonly VerificationRun[]
  readonly with: readonly VerificationRun[]
}

export function proofOf(about: Pick<RegressionProof, 'codes' | 'files'>, runs: ProofRuns | undefined): RegressionProof {
  const not = (why: string): RegressionProof => notProven(about, why)
  if (!runs) return not('no test was added or changed')
  const setup = runs.without.find((run) => run.setup)
  if (setup) return not(`the setup failed where only the tests were added to the base: ${setup.command}`)
  const compared = compareRuns(runs.base, runs.without)
  const red = compared.filter(({ effect, tests }) => effect === 'broken' || (tests?.broken.length ?? 0) > 0)
  const mended = red.flatMap(({ command, tests }) => {
    const run = runs.with.find((each) => each.command === command)
    const names = (tests?.broken ?? []).filter((name) => run?.tests?.[name] === 'passed')
    return names.length > 0 || run?.outcome === 'passed' ? [{ command, names }] : []
  })
  if (mended.length > 0) {
    const [commands, tests] = [mended.map(({ command }) => command), mended.flatMap(({ names }) => names)]
    const what = tests.length === 0 ? commands : tests.slice(0, 5)
    const more = tests.length > 5 ? ` and ${tests.length - 5} more` : ''
    const why = `without the fix ${what.join(', ')}${more} fails, with it it passes`
    return { ...about, verdict: 'proven', why, commands, tests }
  }
  if (red.length > 0) return not(`${red.map(({ command }) => command).join(', ')} fails with the fix, too`)
  const isBlind = compared.every(({ after, tests }) => after !== 'passed' && !tests)
  if (isBlind) return not('every command failed on the base already: nothing more can be seen to fail')
  return not('its tests pass without the fix, too')
}

export function notProven(about: Pick<RegressionProof, 'codes' | 'files'>, why: string): RegressionProof {
  return { ...about, verdict: 'not_proven', why, commands: [], tests: [] }
}
