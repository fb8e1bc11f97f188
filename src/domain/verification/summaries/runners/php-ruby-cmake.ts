import { type Amount, addAmount, addCounts, addFailing, type RunnerFormat } from '../tally.ts'

const PHPUNIT_AMOUNTS: Readonly<Record<string, Amount>> = {
  ...{ Tests: 'total', Errors: 'errors', Failures: 'failed', Skipped: 'skipped', Incomplete: 'skipped' },
}

export const PHPUNIT: RunnerFormat = {
  runner: 'phpunit',
  rules: [
    [/^OK \((\d+) tests?, \d+ assertions?\)$/, (tally, [, count]) => addAmount(tally, 'passed', count)],
    [
      /^Tests: \d+, Assertions: \d+(?:, [A-Z][\w ]+: \d+)*\.$/,
      (tally, [line]) => {
        for (const [, word = '', count] of line.matchAll(/(\w[\w ]*): (\d+)/g)) {
          const amount = PHPUNIT_AMOUNTS[word]
          if (amount) addAmount(tally, amount, count)
        }
      },
    ],
    [/^No tests executed!$/, (tally) => addAmount(tally, 'passed', 0)],
    [/^PHP (?:Fatal|Parse) error: /, (tally) => addAmount(tally, 'unbuilt')],
    [/^\d+\) (\w[\w\\]*::\S.*)$/, (tally, [, name]) => addFailing(tally, name)],
  ],
  finish: ({ amounts }) => {
    const { total, failed, errors, skipped } = amounts
    amounts.passed += Math.max(total - failed - errors - skipped, 0)
  },
}

export const RSPEC: RunnerFormat = {
  runner: 'rspec',
  rules: [
    [
      /^\d+ examples?, \d+ failures?(?:, \d+ pending)?(?:, \d+ errors? occurred outside of examples)?$/,
      (tally, [line]) => {
        const amounts = { example: 'total', examples: 'total', failure: 'failed', failures: 'failed' } as const
        addCounts(tally, line, { ...amounts, pending: 'skipped', error: 'errors', errors: 'errors' })
      },
    ],
    [/^An error occurred while loading /, (tally) => addAmount(tally, 'unbuilt')],
    [/^rspec \S+ # (.+)$/, (tally, [, name]) => addFailing(tally, name)],
  ],
  finish: ({ amounts }) => {
    amounts.passed = Math.max(amounts.total - amounts.failed - amounts.skipped, 0)
  },
}

export const CTEST: RunnerFormat = {
  runner: 'ctest',
  rules: [
    [
      /^\d+% tests passed, (\d+) tests? failed out of (\d+)$/,
      (tally, [, failed = '0', total = '0']) => {
        addAmount(tally, 'failed', failed)
        addAmount(tally, 'passed', Math.max(Number(total) - Number(failed), 0))
      },
    ],
    [/^No tests were found!!!$|^No test configuration file found!$/, (tally) => addAmount(tally, 'passed', 0)],
    [/^\s+\d+ - (\S.*) \([A-Z][\w ]+\)$/, (tally, [, name]) => addFailing(tally, name)],
  ],
}
