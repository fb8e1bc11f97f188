import { type Amount, addAmount, addCounts, addFailing, type RunnerFormat, type Tally } from '../tally.ts'

const TESTS: Readonly<Record<string, Amount>> = {
  ...{ passed: 'passed', failed: 'failed', skipped: 'skipped', todo: 'skipped', error: 'errors', errors: 'errors' },
}
const FILES: Readonly<Record<string, Amount>> = { failed: 'failedFiles' }

export const JEST: RunnerFormat = {
  runner: 'jest',
  rules: [
    [/^Tests: +((?:\d+ [a-z]+, )*)\d+ total$/, (tally, [, counts = '']) => addCounts(tally, counts, TESTS)],
    [
      /^Test Suites: +((?:\d+ [a-z]+, )*)(?:\d+ of )?\d+ total$/,
      (tally, [, counts = '']) => addCounts(tally, counts, FILES),
    ],
    [/^No tests found, exiting with code \d+$/, (tally) => addAmount(tally, 'passed', 0)],
    // With many suites the failures are listed twice.
    [
      /^ *Summary of all failing tests$/,
      (tally) => {
        tally.isInFailures = true
      },
    ],
    [
      /^ *● Test suite failed to run$/,
      (tally) => {
        if (!tally.isInFailures) tally.amounts.errors += 1
      },
    ],
    [
      /^ *● (?!Test suite failed to run|Console$|.*Warning:|.*Error:)(\S.*)$/,
      (tally, [, name]) => addFailing(tally, name),
    ],
  ],
}

export const VITEST: RunnerFormat = {
  runner: 'vitest',
  rules: [
    [
      /^ *Tests {2}((?:\d+ [a-z]+(?: \| )?)+)(?: \(\d+\))?$/,
      (tally, [, counts = '']) => addCounts(tally, counts, TESTS),
    ],
    [/^ *Tests {2}no tests$/, (tally) => addAmount(tally, 'passed', 0)],
    [
      /^ *Test Files {2}((?:\d+ [a-z]+(?: \| )?)+)(?: \(\d+\))?$/,
      (tally, [, counts = '']) => addCounts(tally, counts, FILES),
    ],
    [/^ *Errors {2}(\d+) errors?$/, (tally, [, count]) => addAmount(tally, 'errors', count)],
    [/^No test (?:files found|suite found)/, (tally) => addAmount(tally, 'passed', 0)],
    [/^⎯+ Failed Suites (\d+) ⎯+$/, (tally, [, count]) => addAmount(tally, 'errors', count)],
    [/^ *FAIL {2}(\S.* (?:>|\[) .*)$/, (tally, [, name]) => addFailing(tally, name)],
  ],
}

export const MOCHA: RunnerFormat = {
  runner: 'mocha',
  rules: [
    [/^ *(\d+) passing \([^)]*\)$/, (tally, [, count]) => addAmount(tally, 'passed', count)],
    [
      /^ *(\d+) failing$/,
      (tally, [, count]) => {
        addAmount(tally, 'failed', count)
        tally.isInFailures = true
      },
    ],
    [/^ *(\d+) pending$/, (tally, [, count]) => addAmount(tally, 'skipped', count)],
    [/^Error: No test files found: /, (tally) => addAmount(tally, 'passed', 0)],
    [/^ *Exception during run: /, (tally) => addAmount(tally, 'unbuilt')],
    // The list of failures spreads a name over several lines.
    [/^ +\d+\) (.+)$/, (tally, [, name]) => tally.isInFailures || addFailing(tally, name)],
  ],
}

const NODE_COUNTS: Readonly<Record<string, Amount>> = {
  ...{ pass: 'passed', fail: 'failed', cancelled: 'failed', skipped: 'skipped', todo: 'skipped' },
}

function countNode(tally: Tally, [, word = '', count]: RegExpExecArray): void {
  const amount = NODE_COUNTS[word]
  addAmount(tally, amount ?? 'total', count)
}

export const NODE: RunnerFormat = {
  runner: 'node:test',
  rules: [
    [/^ℹ (tests|pass|fail|cancelled|skipped|todo) (\d+)$/, countNode],
    [
      /^✖ failing tests:$/,
      (tally) => {
        tally.isInFailures = true
      },
    ],
    [
      /^✖ (.+?) \([\d.]+ms\)(?: #.*)?$/,
      (tally, [, name = '']) => {
        if (!tally.isInFailures) return
        addFailing(tally, name)
        if (TEST_FILE.test(name)) tally.results.failed += 1
      },
    ],
  ],
  // A file that does not load is reported as one failed test.
  finish: ({ amounts, results }) => {
    amounts.errors = Math.min(results.failed, amounts.failed)
    amounts.failed -= amounts.errors
    amounts.unbuilt = amounts.errors
  },
}

const TEST_FILE = /^\S+\.[cm]?[jt]sx?$/

/** Any producer of TAP: its own counts at the end, else its results at the margin. A subtest's plan is indented. */
export const TAP: RunnerFormat = {
  runner: 'tap',
  rules: [
    [/^# (tests|pass|fail|cancelled|skipped|todo) +(\d+)$/, countNode],
    [/^1\.\.\d+/, (tally) => addAmount(tally, 'passed', 0)],
    [/^Bail out!/, (tally) => addAmount(tally, 'errors')],
    [
      /^(not )?ok \d+\b(.*)$/,
      ({ results }, [, not, rest = '']) => {
        const isSkipped = /#\s*(?:skip|todo)\b/i.test(rest)
        results[isSkipped ? 'skipped' : not ? 'failed' : 'passed'] += 1
      },
    ],
  ],
  finish: ({ amounts, results }) => {
    if (amounts.passed + amounts.failed + amounts.skipped === 0) Object.assign(amounts, results)
  },
}
