// Parses the Test Anything Protocol (node --test --test-reporter=tap, vitest, prove -v, bats) from a command's output, line by line, so
// that nothing has to be kept. Output counts only with a plan, and only if all planned results came.
import { createTestCollector, type TestOutcome, type TestOutcomes } from './test-outcomes.ts'

export interface TapReader {
  line(line: string): void
  /** Undefined if it was no TAP, or is incomplete. */
  end(run?: { readonly isGreen: boolean }): TestOutcomes | undefined
}

interface Result {
  readonly depth: number
  readonly name: string
  readonly outcome: TestOutcome
  /** The brace that opens a block: `own` at the end of the result's line, `next` on a line of its own, behind a YAML block. */
  readonly brace?: 'own' | 'next'
  /** Its name as the head of a block. */
  readonly title: string
}

interface Level {
  /** The parent of the tests below: from the comment before them, or the head of their block. */
  title: string
  /** Results of the level below, since the last result of this one. */
  inner: number
  innerFailed: number
  /** The head of the open block; it counts when the block is closed. */
  head?: Result | undefined
}

const BEGINNING = /^ {0,128}(?:(?:not )?(?:ok|# Subtest|1\.\.|---|Bail)|[{}]\s*$)/
const RESULT = /^( *)(not )?ok\b(?: +(\d+))?(?: *- *| +)?(.*)$/
const PLAN = /^( *)1\.\.(\d+)\b/
const SUBTEST = /^( *)# Subtest: ?(.*)$/
const BRACE = /^( *)([{}])\s*$/
const OWN_BRACE = /(?:^|\s)\{\s*$/
/** A `#` within a name is escaped by a backslash. */
const DIRECTIVE = /(?<!\\)#\s*(?:skip|todo)\b/i
/** The duration that node-tap and vitest append: it differs each time, so it is no part of the name. */
const TIME = /(?<!\\)#\s*time=[\d.]/i
const INDENT = 4
const DEEPEST = 32
const LONGEST_LINE = 2_000

/**
 * Tests are innermost results, and subtests that failed by themselves. A subtest's result follows its tests, or precedes braced ones.
 */
export function createTapReader(): TapReader {
  const tests = createTestCollector()
  const levels: Level[] = []
  let planned: number | undefined
  let results = 0
  let hasBailedOut = false
  let isYaml = false
  /** Held until the next line shows whether it is the head of a block. */
  let last: Result | undefined

  function levelAt(depth: number): Level {
    while (levels.length <= depth) levels.push({ title: '', inner: 0, innerFailed: 0 })
    return levels[depth] as Level
  }

  function placeLast(nextDepth: number): void {
    const result = last
    last = undefined
    if (!result) return
    const isHead = result.brace === 'own' && nextDepth > result.depth && levelAt(result.depth).inner === 0
    if (isHead) open(result)
    else count(result)
  }

  function open(head: Result): void {
    const level = levelAt(head.depth)
    if (level.head) add(level.head)
    levels.length = head.depth
    Object.assign(levelAt(head.depth), { title: head.title, head })
  }

  function close(depth: number): void {
    // Something else printed the brace.
    if (!levels[depth]?.head) return
    placeLast(depth)
    const { head } = levelAt(depth)
    levelAt(depth).head = undefined
    if (head) count({ ...head, name: head.title })
  }

  function count(result: Result): void {
    const { head, inner, innerFailed } = levelAt(result.depth)
    // The head was never closed, so it was a test of its own.
    if (head) add(head)
    add(result, inner === 0 || (result.outcome === 'failed' && innerFailed === 0))
    levels.length = result.depth
  }

  function add({ depth, name, outcome }: Result, isTest = true): void {
    if (isTest) tests.add([...levels.slice(0, depth).map(({ title }) => title), name], outcome)
    const above = levels[depth - 1]
    if (!above) results += 1
    else {
      above.inner += 1
      if (outcome === 'failed') above.innerFailed += 1
    }
  }

  function read(line: string): void {
    const [result, plan, subtest, brace] = [RESULT, PLAN, SUBTEST, BRACE].map((form) => form.exec(line))
    const found = result ?? plan ?? subtest ?? brace
    if (!found) return
    const depth = computeDepth(found[1])
    if (brace) bracket(depth, brace[2])
    else placeLast(depth)
    // An output of several files has several plans.
    if (plan?.[1] === '') planned = (planned ?? 0) + Number(plan[2])
    else if (subtest) levelAt(depth).title = subtest[2] ?? ''
    else if (result) last = parseResult(depth, result)
  }

  function bracket(depth: number, sign: string | undefined): void {
    if (sign === '}') close(depth)
    else if (last?.brace === 'next' && last.depth === depth) {
      open(last)
      last = undefined
    }
  }

  return {
    line(whole) {
      // Programs print millions of unrelated lines.
      if (!isYaml && !BEGINNING.test(whole)) return
      const line = whole.slice(0, LONGEST_LINE)
      // Lines of a YAML block are no results, whatever they look like.
      if (/^\s+---\s*$/.test(line)) {
        if (!isYaml && last) last = { ...last, brace: 'next', title: last.name }
        isYaml = true
      } else if (isYaml) isYaml = !/^\s+\.\.\.\s*$/.test(line)
      else if (line.startsWith('Bail out!')) hasBailedOut = true
      else read(line)
    },
    end(run) {
      placeLast(0)
      const isWhole = planned !== undefined && results >= planned
      return isWhole && !hasBailedOut ? tests.all(run) : undefined
    },
  }
}

function computeDepth(indent = ''): number {
  return Math.min(Math.floor(indent.length / INDENT), DEEPEST)
}

function parseResult(depth: number, [, , not, number = '', rest = '']: readonly (string | undefined)[]): Result {
  const directive = DIRECTIVE.test(rest)
  const outcome = directive ? 'skipped' : not === undefined ? 'passed' : 'failed'
  const nameIn = (text: string): string => {
    const [name = ''] = (text.split(DIRECTIVE, 1)[0] ?? '').split(TIME, 1)
    return name.trim().replaceAll('\\#', '#') || `test ${number}`
  }
  const brace = OWN_BRACE.test(rest) ? { brace: 'own' as const } : {}
  return { depth, name: nameIn(rest), outcome, title: nameIn(rest.replace(OWN_BRACE, '')), ...brace }
}
