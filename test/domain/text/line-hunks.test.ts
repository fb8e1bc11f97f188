import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  applyReplacements,
  diffLines,
  doOverlap,
  type Replacement,
  splitLines,
} from '../../../src/domain/text/line-hunks.ts'

const hunksOf = (before: string, after: string): Replacement[] => {
  const lines = splitLines(after)
  return diffLines(splitLines(before), lines).map(({ start, count, newStart, newCount }) => ({
    start,
    count,
    lines: lines.slice(newStart, newStart + newCount),
  }))
}
const Text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', '', 'é\r'), { maxLength: 14 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''))

test('line hunks: each changed place is a hunk of its own', () => {
  const hunks = hunksOf('1\n2\n3\n4\n5\n6\n', '1\nx\n3\n4\nnew\n5\n')
  assert.deepEqual(hunks, [
    { start: 1, count: 1, lines: ['x\n'] },
    { start: 4, count: 0, lines: ['new\n'] },
    { start: 5, count: 1, lines: [] },
  ])
  assert.deepEqual(hunksOf('a\n', 'a\n'), [])
  assert.deepEqual(hunksOf('', 'a'), [{ start: 0, count: 0, lines: ['a'] }])
})

test('line hunks: a function that is inserted above one like it is one hunk, and what changed in the other is another', () => {
  const [first, second] = ['less', 'equal'].map((name) => `test ${name}\n  cases\n  1\n  run ${name}\n  end\n`)
  const inserted = 'test greater\n  cases\n  1\n  run greater\n  end\n'
  const hunks = hunksOf(`${first}${second}`, `${first}${inserted}${second?.replace('  1\n', '  1\n  2\n')}`)
  assert.deepEqual(
    hunks.map(({ count, lines }) => [count, lines.join('')]),
    [
      [0, inserted],
      [0, '  2\n'],
    ],
  )
})

test('line hunks: an insertion begins where its block does, not with the end of the block above', () => {
  const block = (name: string) => `test ${name}\n  {\n    run\n  }\nend\n`
  assert.deepEqual(hunksOf(`${block('a')}\n${block('c')}`, `${block('a')}\n${block('b')}\n${block('c')}`), [
    { start: 6, count: 0, lines: splitLines(`${block('b')}\n`) },
  ])
})

test('line hunks: all hunks together make the new text, and no two overlap', () => {
  fc.assert(
    fc.property(Text, Text, (before, after) => {
      const hunks = hunksOf(before, after)
      assert.equal(applyReplacements(splitLines(before), hunks), after)
      for (const [index, hunk] of hunks.entries()) {
        for (const other of hunks.slice(index + 1)) assert.ok(!doOverlap(hunk, other))
      }
    }),
  )
})

test('line hunks: parts commute: any two halves, one after the other, make the whole, whichever comes first', () => {
  fc.assert(
    fc.property(Text, Text, fc.infiniteStream(fc.boolean()), (before, after, coins) => {
      const hunks = hunksOf(before, after)
      const sides = hunks.map((hunk) => ({ hunk, isFirst: coins.next().value === true }))
      const some = sides.filter(({ isFirst }) => isFirst).map(({ hunk }) => hunk)
      const others = sides.filter(({ isFirst }) => !isFirst).map(({ hunk }) => hunk)
      const lines = splitLines(before)
      assert.equal(applyReplacements(lines, [...some, ...others]), after)
      assert.equal(applyReplacements(lines, [...others, ...some]), after)
    }),
  )
})

test('line hunks: texts that differ too much are one hunk, and take no time', () => {
  const before = Array.from({ length: 3000 }, (_, index) => `old ${index}\n`).join('')
  const after = Array.from({ length: 3000 }, (_, index) => `new ${index}\n`).join('')
  assert.deepEqual(
    hunksOf(before, after).map(({ start, count, lines }) => [start, count, lines.length]),
    [[0, 3000, 3000]],
  )
})

test('line hunks: insertions overlap neither each other nor the replaced line beside them', () => {
  const at = (start: number, count: number): Replacement => ({ start, count, lines: ['x\n'] })
  assert.ok(!doOverlap(at(3, 0), at(3, 0)))
  assert.ok(doOverlap(at(3, 2), at(4, 0)))
  assert.ok(doOverlap(at(3, 2), at(4, 3)))
  assert.ok(!doOverlap(at(3, 0), at(3, 1)))
  assert.ok(!doOverlap(at(3, 1), at(4, 0)))
})
