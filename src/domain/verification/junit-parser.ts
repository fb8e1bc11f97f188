// Parses JUnit's XML reports, which most test runners can write. A document type is refused, so nothing is expanded or fetched, and
// only XML's own five entities are known. A report that is not well-formed counts as none.
import type { TestCollector, TestOutcome } from './test-outcomes.ts'

/** Adds a report's tests to the others; false if it can't be parsed. */
export function parseJUnit(xml: string, tests: TestCollector): boolean {
  const own: { path: string[]; outcome: TestOutcome }[] = []
  const open: string[] = []
  let at = 0
  let hasRoot = false
  while (at < xml.length) {
    const start = xml.indexOf('<', at)
    if (start === -1) break
    if (xml.startsWith('<!--', start)) at = after(xml, '-->', start + 4)
    else if (xml.startsWith('<![CDATA[', start)) at = after(xml, ']]>', start + 9)
    else if (xml.startsWith('<?', start)) at = after(xml, '?>', start + 2)
    else if (xml.startsWith('<!', start)) return false
    else {
      const end = tagEnd(xml, start)
      if (end === -1) return false
      const tag = xml.slice(start + 1, end)
      at = end + 1
      if (tag.startsWith('/')) {
        if (open.pop() !== tag.slice(1).trim()) return false
        continue
      }
      const name = /^[^\s/>]+/.exec(tag)?.[0]
      if (name === undefined || open.length >= DEEPEST) return false
      if (open.length === 0) {
        if (hasRoot || !ROOTS.has(name)) return false
        hasRoot = true
      }
      const parent = open.at(-1)
      const test = own.at(-1)
      if (name === 'testcase') own.push({ path: buildTestPath(parseAttributes(tag)), outcome: 'passed' })
      else if (parent === 'testcase' && test && (name === 'failure' || name === 'error')) test.outcome = 'failed'
      else if (parent === 'testcase' && test && name === 'skipped' && test.outcome === 'passed')
        test.outcome = 'skipped'
      if (!tag.endsWith('/')) open.push(name)
    }
    if (at === -1) return false
  }
  if (!hasRoot || open.length > 0) return false
  for (const { path, outcome } of own) tests.add(path, outcome)
  return true
}

const ROOTS: ReadonlySet<string> = new Set(['testsuites', 'testsuite'])
const DEEPEST = 100

function after(xml: string, mark: string, from: number): number {
  const found = xml.indexOf(mark, from)
  return found === -1 ? -1 : found + mark.length
}

/** The position of the tag's closing `>`, which may also occur in an attribute's value. */
function tagEnd(xml: string, start: number): number {
  let quote = ''
  for (let at = start + 1; at < xml.length; at += 1) {
    const character = xml[at] as string
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else if (character === '>') return at
    else if (character === '<') return -1
  }
  return -1
}

function parseAttributes(tag: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, name = '', double, single] of tag.matchAll(/\s([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    found.set(name, unescapeEntities(double ?? single ?? ''))
  }
  return found
}

/** The file counts only without a class: a run elsewhere may name the file by another path. */
function buildTestPath(attributes: Map<string, string>): string[] {
  const group = attributes.get('classname') || attributes.get('file') || ''
  return [group, attributes.get('name') ?? '']
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));/g, (all, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] as string) : all
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
}
