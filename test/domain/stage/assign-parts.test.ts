import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assignParts, type PartClaimant } from '../../../src/domain/stage/assign-parts.ts'
import { type FilePart, mergeParts } from '../../../src/domain/stage/file-parts.ts'
import { splitLines } from '../../../src/domain/text/line-hunks.ts'

const BASE = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`)

/** The base with other texts in some lines, by their number. */
function changed(texts: Readonly<Record<number, string>>): string[] {
  return BASE.flatMap((line, index) => {
    const text = texts[index + 1]
    return text === undefined ? [line] : text.split('|').map((each) => `${each}\n`)
  })
}

function claimant(code: string, line?: number, more: Partial<PartClaimant> = {}): PartClaimant {
  const found = line === undefined ? {} : { found: { first: line, last: line } }
  return { code, claimed: [], text: '', ownsMore: false, ...found, ...more }
}

const assign = (texts: Readonly<Record<number, string>>, claimants: readonly PartClaimant[]) =>
  assignParts({ before: BASE, after: changed(texts), carried: [] }, claimants)?.map(
    ({ start, codes }) => `${start + 1}${codes.join('')}`,
  )

test('assign parts: each place goes to the issue whose finding points there, or clearly nearest', () => {
  assert.deepEqual(assign({ 10: 'x', 33: 'y' }, [claimant('A', 10), claimant('B', 30)]), ['10A', '33B'])
})

test('assign parts: the lines that a fixer claims decide before the finding does', () => {
  const claims = [
    claimant('A', 10, { claimed: [{ first: 31, last: 31 }] }),
    claimant('B', 30, { claimed: [{ first: 10, last: 11 }] }),
  ]
  assert.deepEqual(assign({ 10: 'x|more', 30: 'y' }, claims), ['10B', '30A'])
})

test('assign parts: a place beside no finding goes to the issue that alone speaks of its names', () => {
  const a = claimant('A', 20, { text: 'rounds money wrongly' })
  const b = claimant('B', 50, { text: 'use decimal_tools for money' })
  assert.deepEqual(assign({ 1: 'import decimal_tools', 20: 'x', 50: 'y' }, [a, b]), ['1B', '20A', '50B'])
})

test('assign parts: between two findings that are as near, the line above that it is nested in decides, else both own it', () => {
  const [before, after] = [[...BASE], changed({ 9: '  x', 10: 'x', 14: 'y', 30: 'z' })]
  const two = [claimant('A', 10), claimant('B', 30), claimant('C', 18, { text: 'page_size is wrong' })]
  const named = { before: before.with(12, 'def page_size():\n').with(13, '  old\n'), after: [] as string[] }
  named.after = named.before.with(13, '  y\n').with(29, 'z\n').with(9, 'x\n')
  const codes = (file: { before: string[]; after: string[] }) =>
    assignParts({ ...file, carried: [] }, two)?.map((part) => `${part.start + 1}${part.codes.join('')}`)
  assert.deepEqual(codes(named), ['10A', '14C', '30B'])
  assert.deepEqual(codes({ before, after })?.slice(1), ['14AC', '30B'])
})

test('assign parts: a place that nothing speaks of belongs to all of them', () => {
  assert.deepEqual(assign({ 10: 'x', 59: 'y' }, [claimant('A', 10), claimant('B', 11)])?.at(-1), '59AB')
})

test('assign parts: an issue without a place of its own joins the nearest one, or keeps the file in one piece', () => {
  const two = [claimant('A', 10), claimant('B', 30)]
  assert.deepEqual(assign({ 10: 'x', 30: 'y' }, [...two, claimant('C', 33)]), ['10A', '30BC'])
  assert.equal(assign({ 10: 'x', 30: 'y' }, [...two, claimant('C')]), undefined)
  assert.deepEqual(assign({ 10: 'x', 30: 'y' }, [...two, claimant('C', 33, { ownsMore: true })]), ['10A', '30B'])
  assert.deepEqual(assign({ 10: 'x' }, two), ['10AB'], 'one place can not be separated')
  assert.deepEqual(assign({ 10: 'x' }, [claimant('A', 10), claimant('B', 30, { ownsMore: true })]), ['10A'])
})

test('assign parts: what stood there before the call keeps its owners, also where it was changed further', () => {
  const carried = [
    { codes: ['A'], start: 9, count: 1, lines: ['x\n'] },
    { codes: ['A'], start: 29, count: 1, lines: ['y\n'] },
  ]
  const after = changed({ 10: 'x', 30: 'other', 50: 'new' })
  const parts = assignParts({ before: BASE, after, carried }, [claimant('B', 50)])
  assert.deepEqual(
    parts?.map(({ codes }) => codes.join('')),
    ['A', 'AB', 'B'],
  )
})

/** Who owns which lines behind the base. */
function appended(
  lines: string,
  claimants: readonly PartClaimant[],
  carried: readonly FilePart[] = [],
): string[] | undefined {
  const parts = assignParts({ before: BASE, after: [...BASE, ...splitLines(lines)], carried }, claimants)
  return parts?.map(({ lines: own, codes }) => `${codes.join('')}: ${own.join('').trim()}`)
}

test('assign parts: tests that were added one below the other are told apart by the names in them, or by the lines that are claimed', () => {
  const tests =
    '\ndef test_page():\n    a = page_size(1)\n\n    assert a\n\ndef test_round():\n    assert round_up(1)\n'
  const named = [claimant('A', 3, { text: 'round_up is wrong' }), claimant('B', 9, { text: 'page_size is wrong' })]
  const page = 'def test_page():\n    a = page_size(1)\n\n    assert a'
  assert.deepEqual(appended(tests, named), [`B: ${page}`, 'A: def test_round():\n    assert round_up(1)'])
  const claimed = [
    claimant('A', 3, { claimed: [{ first: 67, last: 68 }] }),
    claimant('B', 9, { claimed: [{ first: 61, last: 65 }] }),
  ]
  assert.deepEqual(
    appended(tests, claimed)?.map((part) => part.slice(0, 18)),
    ['B: def test_page():', 'A: def test_round()'].map((part) => part.slice(0, 18)),
  )
})

test('assign parts: the blank line behind a claimed test goes with it, for a comparison may take either side of it as new', () => {
  const claimed = [
    claimant('A', 3, { claimed: [{ first: 60, last: 62 }], ownsMore: true }),
    claimant('B', 9, { claimed: [{ first: 30, last: 30 }] }),
  ]
  const after = [...BASE.with(29, 'x\n'), 'def test_page():\n', '    assert a\n', '\n']
  const parts = assignParts({ before: BASE, after, carried: [] }, claimed)
  assert.deepEqual(
    parts?.map(({ codes, lines }) => `${codes.join('')} ${lines.length}`),
    ['B 1', 'A 3'],
  )
})

test('assign parts: what is claimed behind lines that another issue replaced is an insertion of its own', () => {
  const claimed = [
    claimant('A', 30, { claimed: [{ first: 30, last: 31 }] }),
    claimant('B', 3, { claimed: [{ first: 32, last: 33 }], ownsMore: true }),
  ]
  const after = [...BASE.slice(0, 29), 'a\n', 'a too\n', 'b\n', 'b too\n', ...BASE.slice(30)]
  const parts = assignParts({ before: BASE, after, carried: [] }, claimed)
  assert.deepEqual(
    parts?.map(({ codes, start, count, lines }) => [codes.join(''), start, count, lines.length]),
    [
      ['A', 29, 1, 2],
      ['B', 30, 0, 2],
    ],
  )
})

test('assign parts: each line of a changelog goes to the issue that it speaks of', () => {
  const named = [claimant('A', 3, { text: 'round_up is wrong' }), claimant('B', 9, { text: 'page_size is wrong' })]
  assert.deepEqual(appended('- page_size counts\n  all of them\n- round_up rounds\n', named), [
    'B: - page_size counts\n  all of them',
    'A: - round_up rounds',
  ])
})

test('assign parts: what was inserted before keeps its owner beside what is inserted now, but not where it was changed', () => {
  const carried = [{ codes: ['A'], start: 60, count: 0, lines: ['one\n'] }]
  assert.deepEqual(appended('one\ntwo\n', [claimant('B')], carried), ['A: one', 'B: two'])
  assert.deepEqual(appended('once\ntwo\n', [claimant('B')], carried), ['AB: once\ntwo'])
})

test('assign parts: whatever is claimed, the parts are the whole change and each has an owner', () => {
  const Range = fc.tuple(fc.nat(60), fc.nat(60)).map(([first, last]) => ({ first, last }))
  const Claimants = fc.array(
    fc.record({ found: fc.option(Range, { nil: undefined }), claimed: fc.array(Range, { maxLength: 2 }) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  const Texts = fc.dictionary(fc.integer({ min: 1, max: 60 }).map(String), fc.constantFrom('x', 'y|z', 'line 3'))
  fc.assert(
    fc.property(Claimants, Texts, (claimants, texts) => {
      const after = changed(texts)
      const asked = claimants.map((each, index) => claimant('ABCD'[index] ?? '', undefined, each))
      const parts = assignParts({ before: BASE, after, carried: [] }, asked)
      if (!parts) return
      assert.equal(mergeParts(BASE, [parts]).text, after.join(''))
      assert.ok(parts.every(({ codes }) => codes.length > 0))
      for (const { code } of asked) assert.ok(parts.some(({ codes }) => codes.includes(code)))
    }),
  )
})
