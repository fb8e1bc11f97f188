// One command's tests, before and after: only the difference counts.
import type { TestOutcome, TestOutcomes } from './test-outcomes.ts'

export interface TestComparison {
  /** Failed before, pass now. */
  readonly fixed: readonly string[]
  /** Fail now, and passed before or were not there. */
  readonly broken: readonly string[]
  /** Failed before and fail now. */
  readonly broken_before: readonly string[]
  /** Passed before, and are now skipped or not there at all. */
  readonly gone: readonly string[]
  /** So many pass now. */
  readonly passing: number
}

/** Undefined where either could not be read. */
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
    passing: those(is, (name) => is.get(name) === 'passed').length,
  }
}
