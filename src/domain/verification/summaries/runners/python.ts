import { addAmount, addCounts, addFailing, type RunnerFormat } from '../tally.ts'

const COUNT = '\\d+ (?:subtests )?(?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun)'

/** Expected failures count as skipped: they say nothing either way. */
export const PYTEST: RunnerFormat = {
  runner: 'pytest',
  rules: [
    [
      new RegExp(`^(?:=+ )?(${COUNT}(?:, ${COUNT})*) in \\d[\\d.:]*s(?: \\([^)]*\\))?(?: =+)?$`),
      (tally, [, counts = '']) =>
        addCounts(tally, counts, {
          ...{ passed: 'passed', xpassed: 'passed', failed: 'failed', error: 'errors', errors: 'errors' },
          ...{ skipped: 'skipped', xfailed: 'skipped' },
        }),
    ],
    [
      /^(?:=+ )?no tests (?:ran|collected)(?: \([^)]*\))? in \d[\d.:]*s(?: =+)?$/,
      (tally) => addAmount(tally, 'passed', 0),
    ],
    [/^!+ Interrupted: (\d+) errors? during collection !+$/, (tally, [, count]) => addAmount(tally, 'unbuilt', count)],
    [/^(?:FAILED|ERROR) (\S+?::.*?|\S+\.py)(?: - .*)?$/, (tally, [, name]) => addFailing(tally, name)],
  ],
}

export const UNITTEST: RunnerFormat = {
  runner: 'unittest',
  rules: [
    [/^Ran (\d+) tests? in \d[\d.]*s$/, (tally, [, count]) => addAmount(tally, 'total', count)],
    [
      /^(?:OK|FAILED|NO TESTS RAN) \(((?:[a-z ]+=\d+(?:, )?)+)\)$/,
      (tally, [, counts = '']) => {
        for (const [, word = '', count] of counts.matchAll(/([a-z ]+)=(\d+)/g)) {
          const name = word.trim()
          const isFailure = name === 'failures' || name === 'unexpected successes'
          addAmount(tally, isFailure ? 'failed' : name === 'errors' ? 'errors' : 'skipped', count)
        }
      },
    ],
    [
      /^(?:FAIL|ERROR): (\S+ \(([\w.]+)\).*)$/,
      (tally, [, name, owner]) => {
        addFailing(tally, name)
        // The loader stands in for a module that can't be imported.
        if (owner?.startsWith('unittest.loader._FailedTest')) tally.amounts.unbuilt += 1
      },
    ],
  ],
  finish: ({ amounts }) => {
    const { total, failed, errors, skipped, unbuilt } = amounts
    amounts.passed = Math.max(total - failed - errors - skipped, 0)
    if (unbuilt < errors) amounts.unbuilt = 0
  },
}
