import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type FilePart,
  listBindingSets,
  listPartsOwnedBy,
  loadParts,
  mergeParts,
  separateParts,
  toParts,
  toStoredParts,
} from '../../../src/domain/stage/file-parts.ts'
import { splitLines } from '../../../src/domain/text/line-hunks.ts'

const BASE = splitLines('1\n2\n3\n4\n5\n6\n7\n')
const part = (codes: string, start: number, count: number, ...lines: string[]): FilePart => ({
  codes: [...codes],
  start,
  count,
  lines: lines.map((line) => `${line}\n`),
})

test('file parts: the parts of several snapshots are put together on the base', () => {
  const { text, parts, lost } = mergeParts(BASE, [
    [part('B', 5, 1, 'six')],
    [part('A', 0, 1, 'one'), part('A', 3, 0, 'new')],
  ])
  assert.equal(text, 'one\n2\n3\nnew\n4\n5\nsix\n7\n')
  assert.deepEqual([parts.map(({ codes }) => codes.join('')), lost], [['A', 'A', 'B'], []])
})

test('file parts: a selection takes over a part only if all issues of that part are in it', () => {
  const parts = [part('A', 0, 1, 'a'), part('AB', 2, 1, 'ab'), part('B', 4, 1, 'b')]
  const taken = (codes: string) => listPartsOwnedBy(parts, [...codes]).map((each) => each.codes.join(''))
  assert.deepEqual([taken('A'), taken('B'), taken('AB'), taken('C')], [['A'], ['B'], ['A', 'AB', 'B'], []])
})

test('file parts: the same part of two snapshots counts once, and belongs to the issues of both', () => {
  const { text, parts, lost } = mergeParts(BASE, [[part('A', 1, 1, 'two')], [part('B', 1, 1, 'two')]])
  assert.equal(text, '1\ntwo\n3\n4\n5\n6\n7\n')
  assert.deepEqual([parts.map(({ codes }) => codes), lost], [[['A', 'B']], []])
})

test('file parts: of two that change the same lines the later one stays, and the other issue is said to be lost', () => {
  const { text, lost } = mergeParts(BASE, [[part('A', 1, 2, 'x')], [part('B', 2, 1, 'y')]])
  assert.equal(text, '1\n2\ny\n4\n5\n6\n7\n')
  assert.deepEqual(lost, ['A'])
})

test('file parts: all parts are the whole, and those of any issues the same whatever snapshot they come from', () => {
  const Lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n'), { maxLength: 12 })
  fc.assert(
    fc.property(Lines, Lines, fc.infiniteStream(fc.constantFrom('A', 'B', 'C')), (before, after, owners) => {
      const parts = toParts(before, after, []).map((each) => ({ ...each, codes: [owners.next().value ?? 'A'] }))
      assert.equal(mergeParts(before, [parts]).text, after.join(''))
      assert.deepEqual(loadParts(toStoredParts(parts), after), parts)
      const shares = ['C', 'A', 'B'].map((code) => listPartsOwnedBy(parts, [code]))
      const merged = mergeParts(before, shares)
      assert.deepEqual([merged.text, merged.lost], [after.join(''), []])
      const some = mergeParts(before, shares.slice(1))
      assert.equal(some.text, mergeParts(before, shares.slice(1).reverse()).text)
    }),
  )
})

test('file parts: issue groups are made from the owners of parts, not of their file', () => {
  const owners = { 'a.py': ['A', 'B'], 'b.py': ['B'] }
  const parts = new Map([['a.py', [{ codes: ['A'] }, { codes: ['B'] }]]])
  assert.deepEqual(Object.values(separateParts(owners, parts)), [['A'], ['B'], ['B']])
  assert.deepEqual(separateParts(owners, new Map()), owners)
})

test('listBindingSets leaves out what belongs to all owners of an unclaimed file, whole or in parts', () => {
  const owners = { 'a.py': ['A', 'B'], 'setup.cfg': ['A', 'B', 'C'], 'notes.md': ['A', 'B', 'C'] }
  const parts = new Map([['notes.md', [{ codes: ['A', 'C'] }, { codes: ['A', 'B', 'C'] }, { codes: ['B'] }]]])
  assert.deepEqual(listBindingSets({ owners, parts, unclaimed: ['setup.cfg', 'notes.md'] }), [
    ['A', 'B'],
    ['A', 'C'],
  ])
  assert.deepEqual(listBindingSets({ owners, parts, unclaimed: [] }).at(-1), ['A', 'C'])
})
