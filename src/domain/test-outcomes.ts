// How single tests came out, whatever a command printed them in. A test is known again by its name; where several have the same, they
// are one: failed if one of them did. Bounded, for names come from whoever wrote the tests: too many are not compared at all.
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
  /** Undefined where there were none, or too many. */
  all(): TestOutcomes | undefined
}

export function collectTests(): TestCollector {
  const found = new Map<string, TestOutcome>()
  return {
    add(path, outcome) {
      const name = nameOf(path)
      if (found.size > MOST_TESTS && !found.has(name)) return
      const before = found.get(name)
      found.set(name, before ? together(before, outcome) : outcome)
    },
    all() {
      return found.size === 0 || found.size > MOST_TESTS ? undefined : Object.fromEntries(found)
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
