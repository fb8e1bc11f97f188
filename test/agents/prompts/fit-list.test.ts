// A list that does not fit: who gives way, how far, and that nobody is left out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cutField, type FitLevel, fitList, listPart, measureEntry } from '../../../src/agents/prompts/fit-list.ts'

interface Entry {
  readonly issue_code: string
  readonly text: string
}

const LEVELS: readonly FitLevel<Entry>[] = [
  (entry, room) => cutField(entry, 'text', room, 10),
  (entry) => ({ ...entry, text: '' }),
]
const entry = (issue_code: string, length: number): Entry => ({ issue_code, text: 'x'.repeat(length) })

test('fitList cuts what is longer than its share, and gives it what short ones leave free', () => {
  const { shown, levels } = fitList([entry('A', 5), entry('B', 900), entry('C', 900)], 1000, LEVELS)
  assert.deepEqual(levels, [0, 1, 1])
  assert.ok(
    shown.every(({ text }, index) => Math.abs(text.length - (index === 0 ? 5 : (shown[1]?.text.length ?? 0))) <= 1),
  )
  const length = shown.reduce((sum, each) => sum + measureEntry(each), 0)
  assert.ok(length <= 1000 && length > 950, `${length}`)
  const nine = measureEntry(entry('A', 5)) + measureEntry(entry('B', 9))
  const few = fitList([entry('A', 5), entry('B', 900)], nine, LEVELS)
  assert.deepEqual([few.levels, few.shown[1]?.text], [[0, 2], ''], 'nine letters are worth nothing')
})

test('fitList with an order takes all of them a level down before any goes further, and stops where the list fits', () => {
  const entries = [entry('A', 900), entry('B', 900), entry('C', 900)]
  const cut: readonly FitLevel<Entry>[] = [({ text, ...rest }) => ({ ...rest, text: text.slice(0, 300) }), LEVELS[1]!]
  const levels = (limit: number) => fitList(entries, limit, cut, { order: [2, 0, 1] }).levels
  assert.deepEqual(levels(3000), [0, 0, 0])
  assert.deepEqual(levels(2400), [0, 0, 1])
  assert.deepEqual(levels(1800), [1, 0, 1])
  assert.deepEqual(levels(900), [1, 1, 2])
  const describeCuts = (codes: (level?: number) => readonly string[]) => `${codes()} and ${codes(2)}`
  const { remark } = listPart('list', entries, 900, { levels: cut, order: [2, 0, 1], describeCuts })
  assert.equal(remark, 'A,B,C and C')
})

test('fitList leaves nobody out, keeps within a limit that its last level can keep, and touches nothing that fits', () => {
  const some = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '"', '😀'), maxLength: 400 }), {
    minLength: 1,
    maxLength: 20,
  })
  fc.assert(
    fc.property(some, fc.nat(6000), (texts, limit) => {
      const entries = texts.map((text, index) => ({ issue_code: `N${index}`, text }))
      const { shown, levels } = fitList(entries, limit, LEVELS)
      assert.deepEqual(
        shown.map(({ issue_code }) => issue_code),
        entries.map(({ issue_code }) => issue_code),
      )
      const total = (all: readonly Entry[]) => all.reduce((sum, each) => sum + measureEntry(each), 0)
      const least = total(entries.map((each) => ({ ...each, text: '' })))
      if (limit >= least * texts.length) assert.ok(total(shown) <= limit)
      if (total(entries) <= limit) assert.deepEqual([shown, levels], [entries, entries.map(() => 0)])
    }),
  )
})
