// How single tests came out, whatever a command printed them in. A test is known again by its name; where several have the same, they
// are one: failed if one of them did, unless the command itself was content. Bounded, for names come from whoever wrote the tests: too many are not compared at all.
import { z } from 'zod'

export const TestOutcome = z.enum(['passed', 'failed', 'skipped'])
export type TestOutcome = z.infer<typeof TestOutcome>

/** Name → outcome. */
export type TestOutcomes = Readonly<Record<string, TestOutcome>>

const MOST_TESTS = 10_000
const LONGEST_NAME = 300
const BETWEEN = ' › '

export interface TestCollector {
  add(path: readonly string[], outcome: TestOutcome): void
  /** Undefined where there were none, or too many. In a green command what failed and passed was tried again: it passed. */
  all(run?: { readonly isGreen: boolean }): TestOutcomes | undefined
}

export function collectTests(): TestCollector {
  const found = new Map<string, TestOutcome>()
  const passed = new Set<string>()
  return {
    add(path, outcome) {
      const name = nameOf(path)
      if (found.size > MOST_TESTS && !found.has(name)) return
      const before = found.get(name)
      found.set(name, before ? together(before, outcome) : outcome)
      if (outcome === 'passed') passed.add(name)
    },
    all({ isGreen } = { isGreen: false }) {
      if (found.size === 0 || found.size > MOST_TESTS) return undefined
      if (isGreen) for (const name of passed) found.set(name, 'passed')
      return Object.fromEntries(found)
    },
  }
}

/** Its beginning and its end: of two long names, these differ. */
function nameOf(path: readonly string[]): string {
  const name = path
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join(BETWEEN)
  const half = LONGEST_NAME / 2
  return (name.length <= LONGEST_NAME ? name : `${name.slice(0, half)}…${name.slice(-half)}`).toWellFormed()
}

function together(a: TestOutcome, b: TestOutcome): TestOutcome {
  if (a === 'failed' || b === 'failed') return 'failed'
  return a === 'passed' || b === 'passed' ? 'passed' : 'skipped'
}
