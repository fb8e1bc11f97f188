// How single tests came out, whatever a command printed them in. A test is known again by its name; where several have the same, they
// are one: failed if one of them did, unless the command itself was content, and one more that fails than before is newly broken.
// Bounded, for names come from whoever wrote the tests: too many are not compared at all.
import { z } from 'zod'
import { truncateMiddle } from '../text/truncate.ts'

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

export function createTestCollector(): TestCollector {
  const found = new Map<string, TestOutcome>()
  const passed = new Set<string>()
  /** A name that failed, and what each failure of it besides the first is called. */
  const failures = new Map<string, string[]>()

  function note(name: string, outcome: TestOutcome): boolean {
    if (found.size > MOST_TESTS && !found.has(name)) return false
    const before = found.get(name)
    found.set(name, before ? mergeOutcomes(before, outcome) : outcome)
    return true
  }

  function noteFailure(name: string): void {
    const more = failures.get(name)
    if (!more) return void failures.set(name, [])
    const another = `${name} (failed ${more.length + 2} times)`
    if (note(another, 'failed')) more.push(another)
  }

  return {
    add(path, outcome) {
      const name = joinTestName(path)
      if (!note(name, outcome)) return
      if (outcome === 'passed') passed.add(name)
      if (outcome === 'failed') noteFailure(name)
    },
    all({ isGreen } = { isGreen: false }) {
      if (found.size === 0 || found.size > MOST_TESTS) return undefined
      if (!isGreen) return Object.fromEntries(found)
      const again = new Set([...passed].flatMap((name) => failures.get(name) ?? []))
      const certain = [...found].filter(([name]) => !again.has(name))
      return Object.fromEntries(certain.map(([name, outcome]) => [name, passed.has(name) ? 'passed' : outcome]))
    },
  }
}

/** Its beginning and its end: of two long names, these differ. */
function joinTestName(path: readonly string[]): string {
  const name = path
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join(BETWEEN)
  return truncateMiddle(name, LONGEST_NAME + 1)
}

function mergeOutcomes(a: TestOutcome, b: TestOutcome): TestOutcome {
  if (a === 'failed' || b === 'failed') return 'failed'
  return a === 'passed' || b === 'passed' ? 'passed' : 'skipped'
}
