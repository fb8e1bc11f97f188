import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinList } from '../../../src/domain/text/join-list.ts'

test('a list in a sentence stays one, however many files an agent touched', () => {
  const files = Array.from({ length: 5000 }, (_, index) => `f${index}`)
  assert.equal(joinList(files.slice(0, 2)), 'f0, f1')
  assert.equal(joinList(files), 'f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 4990 more')
  assert.equal(joinList(files, '; ', 2), 'f0; f1 and 4998 more')
})
