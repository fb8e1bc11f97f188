// Reads the summaries in a command's output, line by line, from both of its streams in any order: nothing but counts and some names is kept.
import { cleanLine, stripLinePrefix } from './clean-line.ts'
import { compareStates, type OutputSummary } from './output-summary.ts'
import { CARGO, GO, NEXTEST } from './runners/go-and-rust.ts'
import { JEST, MOCHA, NODE, TAP, VITEST } from './runners/javascript.ts'
import { GRADLE, JUNIT, MAVEN } from './runners/jvm.ts'
import { ESLINT, MYPY, RUFF, TSC } from './runners/linters.ts'
import { CTEST, PHPUNIT, RSPEC } from './runners/php-ruby-cmake.ts'
import { PYTEST, UNITTEST } from './runners/python.ts'
import { createStartFailureReader } from './start-failure.ts'
import { closeTally, createTally, type RunnerFormat } from './tally.ts'

const FORMATS: readonly RunnerFormat[] = [
  ...[PYTEST, UNITTEST, JEST, VITEST, MOCHA, NODE, TAP, GO, CARGO, NEXTEST, MAVEN, GRADLE, JUNIT],
  ...[PHPUNIT, RSPEC, CTEST, TSC, ESLINT, RUFF, MYPY],
]

/** One pattern for all of a runner's, and one for all: most lines are none of a summary, and cost one look. */
const READERS = FORMATS.map((format) => ({ format, any: joinPatterns(format.rules.map(([pattern]) => pattern)) }))
const ANY = joinPatterns(READERS.map(({ any }) => any))

function joinPatterns(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'))
}

/** A monorepo tool's, and Maven's own. */
const MOST_PREFIXES = 2

export interface SummaryReader {
  line(line: string): void
  /** Undefined if there is no summary that is known. */
  end(exitStatus: number | undefined): OutputSummary | undefined
}

export function createSummaryReader(): SummaryReader {
  const tallies = READERS.map((reader) => ({ ...reader, tally: createTally() }))
  const start = createStartFailureReader()

  function count(line: string): boolean {
    if (!ANY.test(line)) return false
    for (const { format, any, tally } of tallies) {
      if (!any.test(line)) continue
      for (const [pattern, add] of format.rules) {
        const match = pattern.exec(line)
        if (!match) continue
        add(tally, match)
        return true
      }
    }
    return false
  }

  return {
    line(raw) {
      let line: string | undefined = cleanLine(raw)
      for (let prefixes = 0; line && prefixes <= MOST_PREFIXES; prefixes += 1) {
        if (count(line) || start.line(line)) return
        line = stripLinePrefix(line)
      }
    },
    end(exitStatus) {
      const runners = tallies.flatMap(({ format, tally }) => closeTally(format, tally) ?? [])
      // A runner that summed up has started, even if nothing compiles.
      const reason = runners.length > 0 ? undefined : start.end(exitStatus)
      if (reason !== undefined) return { state: 'could_not_start', runners, reason }
      const [farthest] = runners.map(({ state }) => state).sort((a, b) => compareStates(b, a))
      return farthest && { state: farthest, runners }
    },
  }
}
