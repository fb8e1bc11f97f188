import { addAmount, addCounts, type RunnerFormat } from '../tally.ts'

/**
 * Linters and type checkers see less of a file that they can't parse, so it may have fewer errors than before. Such files, or
 * the errors that say so, are counted as failed files.
 */
export const TSC: RunnerFormat = {
  runner: 'tsc',
  isLinter: true,
  rules: [
    [
      /^\S.*?(?:\(\d+,\d+\):|:\d+:\d+ -) error TS(\d+): /,
      (tally, [, code]) => {
        addAmount(tally, 'errors')
        // 1000 to 1999 are errors of syntax.
        if (Number(code) < 2000) addAmount(tally, 'failedFiles')
      },
    ],
    [/^error TS(?!5\d{3}:|18003:)\d+: /, (tally) => addAmount(tally, 'errors')],
  ],
}

export const ESLINT: RunnerFormat = {
  runner: 'eslint',
  isLinter: true,
  rules: [
    [
      /^✖ \d+ problems? \((\d+ errors?), \d+ warnings?\)$/,
      (tally, [, errors = '']) => addCounts(tally, errors, { error: 'errors', errors: 'errors' }),
    ],
    [
      /^ +\d+:\d+ +error +Parsing error: /,
      (tally) => {
        tally.amounts.failedFiles += 1
      },
    ],
  ],
}

/** Ruff says how many it found; flake8, and ruff's concise form, list one a line. */
export const RUFF: RunnerFormat = {
  runner: 'ruff/flake8',
  isLinter: true,
  rules: [
    [/^Found (\d+) errors?\.$/, (tally, [, count]) => addAmount(tally, 'errors', count)],
    [/^Found \d+ errors? \(\d+ fixed, (\d+) remaining\)\.$/, (tally, [, count]) => addAmount(tally, 'errors', count)],
    [/^All checks passed!$/, (tally) => addAmount(tally, 'errors', 0)],
    [
      /^\S.*?\.pyi?:\d+:\d+: (?:([A-Z]+\d+)\b|(invalid-syntax|SyntaxError)[: ])/,
      (tally, [, code, isSyntax]) => {
        tally.isSeen = true
        tally.results.failed += 1
        if (isSyntax || code === 'E999' || code === 'E902') tally.amounts.failedFiles += 1
      },
    ],
    [
      /^invalid-syntax: /,
      (tally) => {
        tally.amounts.failedFiles += 1
      },
    ],
  ],
  finish: ({ amounts, results }) => {
    amounts.errors = Math.max(amounts.errors, results.failed)
  },
}

export const MYPY: RunnerFormat = {
  runner: 'mypy',
  isLinter: true,
  rules: [
    [/^Success: no issues found in \d+ source files?$/, (tally) => addAmount(tally, 'errors', 0)],
    [
      /^Found (\d+) errors? in \d+ files? \((errors prevented further checking|checked \d+ source files?)\)$/,
      (tally, [, count, how = '']) => {
        addAmount(tally, 'errors', count)
        if (how.startsWith('errors')) addAmount(tally, 'failedFiles')
      },
    ],
  ],
}
