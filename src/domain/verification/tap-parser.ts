// Reads the Test Anything Protocol out of what a command prints (node --test --test-reporter=tap, vitest, prove -v, bats): line by line, so
// that nothing has to be kept. A subtest's result comes after those of its own tests, or before them where they stand in braces. Only the
// innermost are tests, unless a subtest failed by itself. Output counts only with a plan, and only when all that was planned came.
import { createTestCollector, type TestOutcome, type TestOutcomes } from './test-outcomes.ts'

export interface TapReader {
  line(line: string): void
  /** Undefined where it was no TAP, or not all of it came. */
  end(run?: { readonly isGreen: boolean }): TestOutcomes | undefined
}

interface Result {
  readonly depth: number
  readonly name: string
  readonly outcome: TestOutcome
  /** The brace that makes it the head of a block: at its end, if its tests follow; or on a line of its own, after what is said of it. */
  readonly brace?: 'own' | 'next'
  /** Its name, if it is the head of a block. */
  readonly title: string
}

interface Level {
  /** What the tests below belong to, as the comment before them says, or the head of their block. */
  title: string
  /** Of the level below, since the last result of this one. */
  inner: number
  innerFailed: number
  /** The head of the block that is open here: it counts when that is closed. */
  head?: Result | undefined
}

const BEGINNING = /^ {0,128}(?:(?:not )?(?:ok|# Subtest|1\.\.|---|Bail)|[{}]\s*$)/
const RESULT = /^( *)(not )?ok\b(?: +(\d+))?(?: *- *| +)?(.*)$/
const PLAN = /^( *)1\.\.(\d+)\b/
const SUBTEST = /^( *)# Subtest: ?(.*)$/
const BRACE = /^( *)([{}])\s*$/
const OWN_BRACE = /(?:^|\s)\{\s*$/
/** A `#` that is part of the name has a backslash before it. */
const DIRECTIVE = /(?<!\\)#\s*(?:skip|todo)\b/i
/** How long it took, as node-tap and vitest have it: another time each time, so no part of the name. */
const TIME = /(?<!\\)#\s*time=[\d.]/i
const INDENT = 4
const DEEPEST = 32
const LONGEST_LINE = 2_000

export function createTapReader(): TapReader {
  const tests = createTestCollector()
  const levels: Level[] = []
  let planned: number | undefined
  let results = 0
  let hasBailedOut = false
  let isYaml = false
  /** Held until the next line tells whether it is the head of a block. */
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
    // A brace that something else printed.
    if (!levels[depth]?.head) return
    placeLast(depth)
    const { head } = levelAt(depth)
    levelAt(depth).head = undefined
    if (head) count({ ...head, name: head.title })
  }

  function count(result: Result): void {
    const { head, inner, innerFailed } = levelAt(result.depth)
    // Nothing has closed it, so that it was none: this is what the tests after it belong to.
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
    // Several files in one output have several plans.
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
      // Programs print millions of lines that are nothing of the kind.
      if (!isYaml && !BEGINNING.test(whole)) return
      const line = whole.slice(0, LONGEST_LINE)
      // What looks like a result in a block of YAML is none.
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
