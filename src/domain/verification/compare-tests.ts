// Compares one command's tests before and after: only the difference counts.
import type { TestOutcome, TestOutcomes } from './test-outcomes.ts'

export interface TestComparison {
  readonly fixed: readonly string[]
  /** Tests that fail now, and passed before or did not exist. */
  readonly broken: readonly string[]
  readonly broken_before: readonly string[]
  /** Tests that passed before, and are now skipped or missing. */
  readonly gone: readonly string[]
  /** The number of tests that pass now. */
  readonly passing: number
}

/** Undefined if either could not be read. */
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
