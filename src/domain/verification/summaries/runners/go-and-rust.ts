import { addAmount, addFailing, type RunnerFormat, type Tally } from '../tally.ts'

/**
 * Without `-v` passed tests are not printed, so packages are counted instead. A command prints the same way each time. What `go vet` and
 * `go build` find keeps a package from being tested, so it counts as a failed build.
 */
export const GO: RunnerFormat = {
  runner: 'go',
  rules: [
    [/^ok {2}\t\S+\t.*\[no tests to run\]$/, (tally) => addAmount(tally, 'total', 0)],
    [/^ok {2}\t\S+\t/, (tally) => addAmount(tally, 'total')],
    [/^\? {3}\t\S+\t\[no test files\]$/, (tally) => addAmount(tally, 'total', 0)],
    [/^FAIL\t\S+ \[(?:build|setup) failed\]$/, addUnbuiltPackage],
    [/^FAIL\t\S+\t[\d.]+s$/, (tally) => addAmount(tally, 'failedFiles')],
    [/^\s*--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/, (tally, [, kind, name]) => addResult(tally, kind, name)],
    [/^(?:vet: )?(?:\.\/)?[^\s:]+\.go:\d+:\d+: /, (tally) => addAmount(tally, 'unbuilt')],
    [/^\{"[^{}]*"Action":"(?:pass|fail|skip)"[^{}]*\}$/, addJsonEvent],
  ],
  finish: ({ amounts, results }) => {
    const isVerbose = results.passed + results.skipped > 0
    amounts.passed = isVerbose ? results.passed : amounts.total
    amounts.skipped = results.skipped
    // A package may fail without a failed test: in its own TestMain, say.
    amounts.failed = Math.max(results.failed, amounts.failedFiles - amounts.errors)
    if (amounts.total + amounts.failedFiles === 0) amounts.errors = amounts.unbuilt
  },
}

function addUnbuiltPackage(tally: Tally): void {
  addAmount(tally, 'failedFiles')
  addAmount(tally, 'errors')
}

function addResult(tally: Tally, kind: string | undefined, name: string | undefined): void {
  if (kind?.toUpperCase() === 'FAIL') {
    tally.results.failed += 1
    addFailing(tally, name)
  } else tally.results[kind?.toUpperCase() === 'SKIP' ? 'skipped' : 'passed'] += 1
}

/** A line of `go test -json`: of a test, or of a package as a whole. */
function addJsonEvent(tally: Tally, [line]: RegExpExecArray): void {
  const [action, owner, test] = ['Action', 'Package', 'Test'].map((key) => parseJsonField(line, key))
  if (owner === undefined) return
  if (test !== undefined) addResult(tally, action, `${owner} ${test}`)
  else if (action === 'pass') addAmount(tally, 'total')
  else if (action === 'skip') addAmount(tally, 'total', 0)
  else if (parseJsonField(line, 'FailedBuild') !== undefined) addUnbuiltPackage(tally)
  else addAmount(tally, 'failedFiles')
}

function parseJsonField(line: string, key: string): string | undefined {
  return new RegExp(`[{,]"${key}":"((?:\\\\.|[^"\\\\])*)"`).exec(line)?.[1]
}

export const CARGO: RunnerFormat = {
  runner: 'cargo',
  rules: [
    [
      /^test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;/,
      (tally, [, verdict, passed, failed, ignored]) => {
        addAmount(tally, 'passed', passed)
        addAmount(tally, 'failed', failed)
        addAmount(tally, 'skipped', ignored)
        if (verdict === 'FAILED') addAmount(tally, 'failedFiles')
      },
    ],
    [
      /^error: could not compile `[^`]+`(?: \(.*?\))?(?: due to (\d+) previous errors?)?/,
      (tally, [, count]) => {
        addAmount(tally, 'unbuilt')
        addAmount(tally, 'errors', count)
      },
    ],
    [/^---- (.+) stdout ----$/, (tally, [, name]) => addFailing(tally, name)],
  ],
}

export const NEXTEST: RunnerFormat = {
  runner: 'nextest',
  rules: [
    [
      /^ *Summary \[ *[\d.]+s\] (?:\d+\/)?\d+ tests? run: (\d+) passed/,
      (tally, { input, 1: passed }) => {
        addAmount(tally, 'passed', passed)
        addAmount(tally, 'failed', /, (\d+) (?:failed|timed out)/.exec(input)?.[1] ?? 0)
        addAmount(tally, 'skipped', /, (\d+) skipped/.exec(input)?.[1] ?? 0)
      },
    ],
    [
      /^ *(?:FAIL|TIMEOUT|SIGABRT|SIGSEGV) \[ *[\d.]+s\] (?:\( *\d+\/\d+\) )?(\S.*)$/,
      (tally, [, name]) => addFailing(tally, name),
    ],
  ],
}
