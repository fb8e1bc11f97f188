// Compares what a command's runners summed up before and after a fix, where single tests can't be read. It says `broken` only with a
// reason that holds by itself, and `unknown` wherever the two can't be compared.
import { joinList } from '../../text/join-list.ts'
import { compareStates, describeSummary, type OutputSummary, type RunnerSummary } from './output-summary.ts'

export interface SummaryComparison {
  readonly effect: 'broken' | 'no_worse' | 'unknown'
  readonly why: string
  /** Tests that fail now and did not before, as far as they are known. */
  readonly newlyFailing: readonly string[]
}

/** Tests that a diff may remove without a word: a share of those that passed, at least this many. */
const REMOVED_SHARE = 0.05
const REMOVED_AT_LEAST = 1

/** Their counts are printed only if a test fails, or with more words than some ask them for. */
const SILENT_WHEN_GREEN: ReadonlySet<string> = new Set(['gradle', 'maven'])

interface Outcomes {
  readonly isGreen: boolean
  readonly wasGreen?: boolean
  readonly sameTests?: boolean
}

/**
 * `isGreen`: the command passes now. A run that repeats its failed tests is green and shows failures, and a fix may remove tests,
 * so a green command is broken only if passing tests became failing ones, if nothing ran, or if fewer of the same tests ran.
 */
export function compareSummaries(
  base: OutputSummary | undefined,
  now: OutputSummary | undefined,
  { isGreen, wasGreen = false, sameTests = false }: Outcomes,
): SummaryComparison {
  if (!base) return { effect: 'unknown', why: 'no summary to compare', newlyFailing: [] }
  if (now && compareStates(now.state, base.state) < 0) return broken(describeBoth(base, now))
  const pairs = base.runners.map((was) => ({ was, is: now?.runners.find(({ runner }) => runner === was.runner) }))
  const hasAnother = now?.runners.some(
    ({ runner, passed }) => passed > 0 && !base.runners.some((was) => was.runner === runner),
  )
  for (const { was, is } of pairs) {
    const mayBeSilent = isGreen && (hasAnother || (!wasGreen && SILENT_WHEN_GREEN.has(was.runner)))
    const problem = is
      ? findRunnerProblem(was, is, { isGreen, sameTests })
      : mayBeSilent
        ? undefined
        : findMissingProblem(was)
    if (problem) return problem
  }
  const isComparable =
    pairs.length > 0 && pairs.every(({ was, is }) => was.state === 'ran' && (is?.state === 'ran' || was.passed === 0))
  const isNew = ({ runner, failed, errors }: RunnerSummary) =>
    failed + errors > 0 && !base.runners.some((was) => was.runner === runner)
  const passes = now?.runners.some(({ passed }) => passed > 0)
  if (!now || !isComparable || now.runners.some(isNew) || !passes)
    return { effect: 'unknown', why: 'the summaries say too little to compare', newlyFailing: [] }
  return { effect: 'no_worse', why: describeBoth(base, now), newlyFailing: [] }
}

function describeBoth(base: OutputSummary, now: OutputSummary): string {
  const [before, after] = [describeSummary(base), describeSummary(now)]
  return before === after ? after : `${after}; before: ${before}`
}

function broken(why: string, newlyFailing: readonly string[] = []): SummaryComparison {
  return { effect: 'broken', why, newlyFailing }
}

/** A linter that prints nothing has found nothing. A green command whose tests vanish has ended before them: `exit 0` in the source. */
function findMissingProblem({ runner, passed }: RunnerSummary): SummaryComparison | undefined {
  return passed > 0 ? broken(`${runner} passed ${passed} before and has not come to its end now`) : undefined
}

function findRunnerProblem(
  was: RunnerSummary,
  is: RunnerSummary,
  { isGreen, sameTests }: Outcomes,
): SummaryComparison | undefined {
  if (was.state !== 'ran') return undefined
  const lost = was.passed - is.passed
  const newlyFailing = listNewlyFailing(was, is)
  const counts = `${describeChange(was, is)} (${is.runner})`
  if (is.state !== 'ran' || (was.passed > 0 && is.passed === 0)) return broken(counts, newlyFailing)
  const isMore = is.errors > was.errors || is.failed + is.errors > was.failed + was.errors
  if (sameTests && is.passed + is.failed < was.passed + was.failed) return broken(counts, newlyFailing)
  if (isGreen) return isMore && lost > 0 ? broken(counts, newlyFailing) : undefined
  if (newlyFailing.length > 0)
    return broken(`${joinList(newlyFailing, ', ', 5)} newly failing: ${counts}`, newlyFailing)
  // A file that does not load any more replaces several failures by one error.
  if (isMore || is.failedFiles > was.failedFiles) return broken(counts, newlyFailing)
  return lost > Math.max(REMOVED_AT_LEAST, was.passed * REMOVED_SHARE) ? broken(counts) : undefined
}

/** Empty unless each failed test is named, before and now. */
function listNewlyFailing(was: RunnerSummary, is: RunnerSummary): readonly string[] {
  const isNamed = ({ failing, failed, errors }: RunnerSummary) => failing.length === failed + errors
  return isNamed(was) && isNamed(is) ? is.failing.filter((name) => !was.failing.includes(name)) : []
}

function describeChange(was: RunnerSummary, is: RunnerSummary): string {
  const change = (what: string, before: number, after: number) =>
    before === after ? [] : [`${what} ${before} → ${after}`]
  const changes = [
    ...change('passed', was.passed, is.passed),
    ...change('failed', was.failed, is.failed),
    ...change('errors', was.errors, is.errors),
    ...change('failed files', was.failedFiles, is.failedFiles),
  ]
  return changes.join(', ') || `state ${was.state} → ${is.state}`
}
