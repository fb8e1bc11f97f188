// Outcomes of single tests by name, whatever format a command printed them in. Names come from whoever wrote the tests, so their number
// is bounded: beyond it, tests are not compared at all.
import { z } from 'zod'
import { truncateMiddle } from '../text/truncate.ts'

export const TestOutcome = z.enum(['passed', 'failed', 'skipped'])
export type TestOutcome = z.infer<typeof TestOutcome>

export type TestOutcomes = Readonly<Record<string, TestOutcome>>

const MOST_TESTS = 10_000
const LONGEST_NAME = 300
const BETWEEN = ' › '

export interface TestCollector {
  add(path: readonly string[], outcome: TestOutcome): void
  /** Undefined without tests, or with too many. In a green command, a test that failed and passed was retried: it passed. */
  all(run?: { readonly isGreen: boolean }): TestOutcomes | undefined
}

/**
 * Tests of the same name count as one, failed if any of them did. One more failure than before is newly broken, so further failures get
 * names of their own.
 */
export function createTestCollector(): TestCollector {
  const found = new Map<string, TestOutcome>()
  const passed = new Set<string>()
  /** Failed names, with the names of their further failures. */
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

/** Keeps the beginning and the end: of two long names, these differ. */
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
