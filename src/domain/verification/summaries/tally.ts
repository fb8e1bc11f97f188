// Counts what one runner's lines say. Lines only add, so several runs of one runner sum up, in whatever order their lines come.
import { truncateMiddle } from '../../text/truncate.ts'
import type { RunnerSummary } from './output-summary.ts'

const MOST_NAMES = 100
const LONGEST_NAME = 200

export type Amount = 'passed' | 'failed' | 'errors' | 'skipped' | 'failedFiles' | 'total' | 'unbuilt'

export interface Tally {
  readonly amounts: Record<Amount, number>
  /** A line of a summary was seen; without one, the runner is not listed. */
  isSeen: boolean
  /** The list of failures has begun. */
  isInFailures: boolean
  readonly failing: Set<string>
  /** Single results, for runners that don't sum them up. They count only beside a summary. */
  readonly results: { passed: number; failed: number; skipped: number }
}

/** One runner's patterns. The first that matches a line counts; `finish` derives what no line says. */
export interface RunnerFormat {
  readonly runner: string
  /** Its summary counts problems, not tests: it ran, also if it found none. */
  readonly isLinter?: boolean
  readonly rules: readonly Rule[]
  readonly finish?: (tally: Tally) => void
}

type Rule = readonly [pattern: RegExp, count: (tally: Tally, match: RegExpExecArray) => void]

export function createTally(): Tally {
  return {
    amounts: { passed: 0, failed: 0, errors: 0, skipped: 0, failedFiles: 0, total: 0, unbuilt: 0 },
    isSeen: false,
    isInFailures: false,
    failing: new Set(),
    results: { passed: 0, failed: 0, skipped: 0 },
  }
}

export function addAmount(tally: Tally, amount: Amount, by: string | number | undefined = 1): void {
  tally.isSeen = true
  const sum = tally.amounts[amount] + Number(by)
  if (Number.isSafeInteger(sum)) tally.amounts[amount] = sum
}

/** Adds counts such as `1 failed, 3 passed`; words without an amount are passed over. */
export function addCounts(tally: Tally, text: string, amounts: Readonly<Record<string, Amount>>): void {
  tally.isSeen = true
  for (const [, count, word = ''] of text.matchAll(/(\d+) ([a-z]+)/gi)) {
    const amount = amounts[word.toLowerCase()]
    if (amount) addAmount(tally, amount, count)
  }
}

/** Addresses in a name differ each time. */
export function addFailing(tally: Tally, name: string | undefined): void {
  if (tally.failing.size > MOST_NAMES || !name) return
  tally.failing.add(
    truncateMiddle(
      name
        .replace(/\b0x[0-9a-f]{4,}/gi, '0x…')
        .replace(/\s+/g, ' ')
        .trim(),
      LONGEST_NAME,
    ),
  )
}

export function closeTally(format: RunnerFormat, tally: Tally): RunnerSummary | undefined {
  if (!tally.isSeen) return undefined
  format.finish?.(tally)
  const { total, unbuilt, ...amounts } = tally.amounts
  const hasRun = amounts.passed + amounts.failed + amounts.skipped > 0 || format.isLinter
  const isUnbuilt = unbuilt + amounts.failedFiles > 0
  const state = hasRun || (amounts.errors > 0 && !isUnbuilt) ? 'ran' : isUnbuilt ? 'build_failed' : 'nothing_collected'
  return { runner: format.runner, state, ...amounts, failing: [...tally.failing].slice(0, MOST_NAMES) }
}
