import { addAmount, addFailing, type RunnerFormat, type Tally } from '../tally.ts'

function addUnbuiltModule(tally: Tally): void {
  addAmount(tally, 'unbuilt')
  addAmount(tally, 'errors')
}

function subtractFromTotal({ amounts }: Tally): void {
  const { total, failed, errors, skipped, unbuilt } = amounts
  amounts.passed = Math.max(total - failed - (errors - unbuilt) - skipped, 0)
}

/** Surefire and Failsafe: one line a module, beside one with the elapsed time for each class. */
export const MAVEN: RunnerFormat = {
  runner: 'maven',
  rules: [
    [
      /^Tests run: (\d+), +Failures: (\d+)(?:, +Errors: (\d+))?(?:, +Skipped: (\d+))?$/,
      (tally, [, total, failed, errors = '0', skipped = '0']) => {
        addAmount(tally, 'total', total)
        addAmount(tally, 'failed', failed)
        addAmount(tally, 'errors', errors)
        addAmount(tally, 'skipped', skipped)
      },
    ],
    [/^COMPILATION ERROR ?:?$/, addUnbuiltModule],
    [
      /^([\w.$(),[\]-]+) +(?:-- )?Time elapsed: .* <<< (?:FAILURE|ERROR)!$/,
      (tally, [, name]) => addFailing(tally, name),
    ],
  ],
  finish: subtractFromTotal,
}

/** Gradle counts its tests only if one failed. */
export const GRADLE: RunnerFormat = {
  runner: 'gradle',
  rules: [
    [
      /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$/,
      (tally, [, total, failed = '0', skipped = '0']) => {
        addAmount(tally, 'total', total)
        addAmount(tally, 'failed', failed)
        addAmount(tally, 'skipped', skipped)
      },
    ],
    [/^> Task :\S*[cC]ompile\w* FAILED$/, addUnbuiltModule],
    [/^([A-Za-z_][\w.$]* > .+) FAILED$/, (tally, [, name]) => addFailing(tally, name)],
  ],
  finish: subtractFromTotal,
}

/** JUnit's own console launcher. */
export const JUNIT: RunnerFormat = {
  runner: 'junit',
  rules: [
    [/^\[ +(\d+) tests successful +\]$/, (tally, [, count]) => addAmount(tally, 'passed', count)],
    [/^\[ +(\d+) tests failed +\]$/, (tally, [, count]) => addAmount(tally, 'failed', count)],
    [
      /^\[ +(\d+) (?:tests|containers) (?:skipped|aborted) +\]$/,
      (tally, [, count]) => addAmount(tally, 'skipped', count),
    ],
    [/^\[ +(\d+) containers failed +\]$/, (tally, [, count]) => addAmount(tally, 'errors', count)],
  ],
}
