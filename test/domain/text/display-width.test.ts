import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { measureWidth, truncatePath, truncateToColumns } from '../../../src/domain/text/display-width.ts'

test('wide characters take two columns, combining and invisible ones none', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['abc', 3],
    ['日本語', 6],
    ['한글', 4],
    ['e\u0301', 1],
    ['🙂', 2],
    ['👩‍👩‍👧', 2],
    ['⚠️', 2],
    ['a\u200bb', 2],
    ['…', 1],
  ]
  for (const [text, columns] of cases) assert.equal(measureWidth(text), columns, JSON.stringify(text))
})

test('a text is never wider than its columns once it is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 60 }), (text, columns) => {
      assert.ok(measureWidth(truncateToColumns(text, columns)) <= columns)
      assert.ok(measureWidth(truncatePath(`${text}/a.ts`, columns)) <= columns)
    }),
  )
})

test('a path is cut in its middle, and keeps its last name as long as that fits', () => {
  const path = 'packages/administration/src/features/RenewalReminder.tsx'
  assert.equal(truncatePath(path, 80), path)
  assert.equal(truncatePath(path, 40), 'packages/administra…/RenewalReminder.tsx')
  assert.equal(truncatePath(path, 21), '…/RenewalReminder.tsx')
  assert.equal(truncatePath(path, 12), '…eminder.tsx')
})
