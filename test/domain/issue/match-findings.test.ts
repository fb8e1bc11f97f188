import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Matchable, matchFindings } from '../../../src/domain/issue/match-findings.ts'

/** Some findings in each line of a few files, as an importer identifies them. */
function findingsIn(files: Readonly<Record<string, readonly { code: string; count: number }[]>>): Matchable[] {
  return Object.entries(files).flatMap(([file, lines]) =>
    lines.flatMap(({ code, count }, index) => {
      const before = lines.slice(0, index).filter((line) => line.code === code).length
      const codeHash = `${code}:${before}`
      return Array.from({ length: count }, () => ({
        rule: 'R',
        file,
        line: index + 1,
        codeHash,
        fingerprint: `${file} ${codeHash}`,
      }))
    }),
  )
}

const lines = fc.array(fc.record({ code: fc.constantFrom('a', 'b', 'c', 'd'), count: fc.nat(3) }), { maxLength: 8 })
const files = fc.record({ 'one.ts': lines, 'two.ts': lines })

const copy = (all: readonly Matchable[]): Matchable[] => all.map((each) => ({ ...each }))

function shuffled<T>(all: readonly T[], numbers: readonly number[]): T[] {
  return all
    .map((each, index) => ({ each, by: numbers[index % numbers.length] ?? 0 }))
    .sort((one, other) => one.by - other.by)
    .map(({ each }) => each)
}

/** What can be said of a matching without telling equal findings apart. */
function summarise({ matches, added, gone }: ReturnType<typeof matchFindings<Matchable, Matchable>>) {
  const name = ({ file, line, fingerprint }: Matchable) => `${file}:${line} ${fingerprint}`
  return {
    matches: matches.map(({ known, found, reason }) => `${reason} ${name(known)} ${name(found)}`).sort(),
    added: added.map(name).sort(),
    gone: gone.map(name).sort(),
  }
}

test('matchFindings: the same report twice is nothing new, with equal findings too', () => {
  fc.assert(
    fc.property(files, fc.array(fc.nat(), { minLength: 1 }), (all, numbers) => {
      const known = findingsIn(all)
      const { matches, added, gone } = matchFindings(known, shuffled(copy(known), numbers))
      assert.deepEqual([matches.length, added, gone], [known.length, [], []])
      assert.ok(matches.every(({ known: one, found, reason }) => reason === 'fingerprint' && one.line === found.line))
    }),
  )
})

test('matchFindings: lines that are inserted above change no issue', () => {
  fc.assert(
    fc.property(lines, fc.nat(500), (all, count) => {
      const known = findingsIn({ 'one.ts': all })
      const found = copy(known).map((each) => ({ ...each, line: (each.line ?? 0) + count }))
      const { matches, added, gone } = matchFindings(known, found)
      assert.deepEqual([matches.length, added, gone], [known.length, [], []])
    }),
  )
})

test('matchFindings: a file that is renamed keeps the issues that can be told apart; of equal ones all are new', () => {
  fc.assert(
    fc.property(lines, (all) => {
      const known = findingsIn({ 'one.ts': all })
      const found = findingsIn({ 'renamed.ts': all })
      const { matches, added, gone } = matchFindings(known, found)
      const single = all.filter(({ count }) => count === 1).length
      assert.deepEqual(
        [matches.length, added.length, gone.length],
        [single, known.length - single, known.length - single],
      )
      assert.ok(
        matches.every(({ known: one, found: other, reason }) => reason === 'moved_file' && one.line === other.line),
      )
    }),
  )
})

test('matchFindings: of N equal findings as many stay as there are in both reports', () => {
  fc.assert(
    fc.property(fc.nat(10), fc.nat(10), (before, now) => {
      const at = (count: number) => findingsIn({ 'one.ts': [{ code: 'a', count }] })
      const { matches, added, gone } = matchFindings(at(before), at(now))
      const both = Math.min(before, now)
      assert.deepEqual([matches.length, added.length, gone.length], [both, now - both, before - both])
    }),
  )
})

test('matchFindings: every issue and every finding comes out once, in whatever order they go in', () => {
  const withIds = (all: Matchable[], ids: readonly (string | undefined)[]) =>
    all.map((each, index) => ({ ...each, toolId: ids[index % ids.length] }))
  const ids = fc.array(fc.constantFrom(undefined, 'x', 'y', 'z'), { minLength: 1 })
  fc.assert(
    fc.property(
      files,
      files,
      ids,
      ids,
      fc.array(fc.nat(), { minLength: 1 }),
      (one, other, theseIds, thoseIds, numbers) => {
        const known = withIds(findingsIn(one), theseIds)
        const found = withIds(findingsIn(other), thoseIds)
        const matching = matchFindings(known, found)
        assert.deepEqual(new Set([...matching.matches.map((each) => each.known), ...matching.gone]), new Set(known))
        assert.deepEqual(new Set([...matching.matches.map((each) => each.found), ...matching.added]), new Set(found))
        assert.equal(matching.matches.length + matching.gone.length, known.length)
        const again = matchFindings(shuffled(known, numbers), shuffled(found, numbers))
        assert.deepEqual(summarise(again), summarise(matching))
      },
    ),
  )
})

const finding = (line: number | undefined, more: Partial<Matchable> = {}): Matchable => {
  const code = `code ${line} ${JSON.stringify(more)} ${Math.random()}`
  return { rule: 'R', file: 'a.ts', line, codeHash: code, fingerprint: code, ...more }
}

function reasonsOf(known: readonly Matchable[], found: readonly Matchable[]): string[] {
  return matchFindings(known, found).matches.map(
    ({ known: one, found: other, reason }) => `${one.file}:${one.line} ${other.file}:${other.line} ${reason}`,
  )
}

test('matchFindings: code that was changed is found by rule, file and the nearest line, the closest first', () => {
  assert.deepEqual(reasonsOf([finding(10), finding(14)], [finding(15), finding(11)]), [
    'a.ts:10 a.ts:11 nearest_line',
    'a.ts:14 a.ts:15 nearest_line',
  ])
  assert.deepEqual(reasonsOf([finding(10), finding(12)], [finding(12)]), ['a.ts:12 a.ts:12 nearest_line'])
  assert.deepEqual(reasonsOf([finding(10), finding(20)], [finding(15)]), [], 'as close to two')
  assert.deepEqual(reasonsOf([finding(10)], [finding(31)]), [], 'too far away')
  assert.deepEqual(reasonsOf([finding(10)], [finding(10, { rule: 'S' })]), [])
  assert.deepEqual(reasonsOf([finding(10)], [finding(10, { file: 'b.ts' })]), [])
  assert.deepEqual(reasonsOf([finding(undefined)], [finding(undefined)]), [
    'a.ts:undefined a.ts:undefined nearest_line',
  ])
  assert.deepEqual(reasonsOf([finding(undefined)], [finding(1)]), [])
})

test('matchFindings: the tool’s own id is the strongest, as long as it is of one rule and of one finding on each side', () => {
  const id = (line: number, toolId: string, more: Partial<Matchable> = {}) => finding(line, { toolId, ...more })
  assert.deepEqual(reasonsOf([id(1, 'x'), id(2, 'y')], [id(90, 'x', { file: 'b.ts' }), id(1, 'z')]), [
    'a.ts:1 b.ts:90 tool_id',
    'a.ts:2 a.ts:1 nearest_line',
  ])
  assert.deepEqual(reasonsOf([id(1, 'x')], [id(100, 'x'), id(200, 'x')]), [], 'twice in the report')
  assert.deepEqual(reasonsOf([id(1, 'x')], [id(100, 'x', { rule: 'S' })]), [])
})

test('matchFindings: findings with the same fingerprint are matched in the order of their lines', () => {
  const same = { fingerprint: 'f', codeHash: 'c' }
  assert.deepEqual(reasonsOf([finding(10, same), finding(50, same)], [finding(52, same), finding(12, same)]), [
    'a.ts:10 a.ts:12 fingerprint',
    'a.ts:50 a.ts:52 fingerprint',
  ])
})

test('matchFindings: code in another file is the same finding only for the same rule', () => {
  const moved = (file: string, rule: string) => finding(1, { file, rule, codeHash: 'c' })
  assert.deepEqual(reasonsOf([moved('a.ts', 'R')], [moved('b.ts', 'S')]), [])
  assert.deepEqual(reasonsOf([moved('a.ts', 'R')], [moved('b.ts', 'R')]), ['a.ts:1 b.ts:1 moved_file'])
})

test('matchFindings: 25,000 changed findings of one rule in one file take no long time', () => {
  const many = () => Array.from({ length: 25_000 }, (_, index) => finding(index))
  const began = process.cpuUsage()
  assert.equal(matchFindings(many(), many()).added.length, 25_000)
  assert.ok(process.cpuUsage(began).user < 10_000_000)
})
