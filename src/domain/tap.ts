// Reads the Test Anything Protocol out of what a command prints (node --test --test-reporter=tap, prove -v, bats): line by line, so that
// nothing has to be kept. A subtest's result comes after those of its own tests; only the innermost are tests, unless a subtest failed
// by itself. Output counts only with a plan, and only when all that was planned came.
import { collectTests, type TestOutcomes } from './test-outcomes.ts'

export interface TapReader {
  line(line: string): void
  /** Undefined where it was no TAP, or not all of it came. */
  end(run?: { readonly isGreen: boolean }): TestOutcomes | undefined
}

interface Level {
  /** What the tests below belong to, as the comment before them says. */
  title: string
  /** Of the level below, since the last result of this one. */
  inner: number
  innerFailed: number
}

const BEGINNING = /^ {0,128}(?:not )?(?:ok|# Subtest|1\.\.|---|Bail)/
const RESULT = /^( *)(not )?ok\b(?: +(\d+))?(?: *- *| +)?(.*)$/
const PLAN = /^1\.\.(\d+)\b/
const SUBTEST = /^( *)# Subtest: ?(.*)$/
/** A `#` that is part of the name has a backslash before it. */
const DIRECTIVE = /(?<!\\)#\s*(?:skip|todo)\b/i
/** How long it took, as node-tap and vitest have it: another time each time, so no part of the name. */
const TIME = /(?<!\\)#\s*time=[\d.]/i
const INDENT = 4
const DEEPEST = 32
const LONGEST_LINE = 2_000

export function tapReader(): TapReader {
  const tests = collectTests()
  const levels: Level[] = []
  let planned: number | undefined
  let results = 0
  let hasBailedOut = false
  let isYaml = false

  function levelOf(indent: string): number {
    const depth = Math.min(Math.floor(indent.length / INDENT), DEEPEST)
    while (levels.length <= depth) levels.push({ title: '', inner: 0, innerFailed: 0 })
    return depth
  }

  function result([, indent = '', not, number = '', rest = '']: readonly (string | undefined)[]): void {
    const depth = levelOf(indent)
    const level = levels[depth] as Level
    const directive = DIRECTIVE.exec(rest)
    const failed = not !== undefined && !directive
    if (level.inner === 0 || (failed && level.innerFailed === 0)) {
      const name = rest.slice(0, directive?.index).split(TIME, 1).join('').trim().replaceAll('\\#', '#')
      const path = levels.slice(0, depth).map(({ title }) => title)
      tests.add([...path, name || `test ${number}`], failed ? 'failed' : directive ? 'skipped' : 'passed')
    }
    levels.length = depth
    const above = levels[depth - 1]
    if (!above) results += 1
    else {
      above.inner += 1
      if (failed) above.innerFailed += 1
    }
  }

  return {
    line(whole) {
      // Programs print millions of lines that are nothing of the kind.
      if (!isYaml && !BEGINNING.test(whole)) return
      const line = whole.slice(0, LONGEST_LINE)
      // What looks like a result in a block of YAML is none.
      if (/^\s+---\s*$/.test(line)) isYaml = true
      else if (isYaml) isYaml = !/^\s+\.\.\.\s*$/.test(line)
      else if (line.startsWith('Bail out!')) hasBailedOut = true
      else {
        const plan = PLAN.exec(line)
        const subtest = SUBTEST.exec(line)
        const found = RESULT.exec(line)
        // Several files in one output have several plans.
        if (plan) planned = (planned ?? 0) + Number(plan[1])
        else if (subtest) (levels[levelOf(subtest[1] ?? '')] as Level).title = subtest[2] ?? ''
        else if (found) result(found)
      }
    },
    end(run) {
      const isWhole = planned !== undefined && results >= planned
      return isWhole && !hasBailedOut ? tests.all(run) : undefined
    },
  }
}
