import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHeadAndTail } from '../../../src/platform/processes/head-and-tail.ts'

test('a line that is too long is cut between two words, since half of a secret is recognised by nobody [S4-17]', () => {
  const seen = createHeadAndTail(2, 2)
  seen.add(`${'word '.repeat(398)}ghp_0123456789abcdef`)
  seen.add('x'.repeat(3000))
  const [cut, data] = seen.text().split('\n')
  assert.equal(cut, `${'word '.repeat(398).trimEnd()}…`)
  assert.equal(data, `${'x'.repeat(2000)}…`)
})

test('nor is it cut inside a character [S4-15]', () => {
  const seen = createHeadAndTail(1, 1)
  seen.add(`${'x'.repeat(1999)}😀${'y'.repeat(100)}`)
  assert.equal(seen.text(), `${'x'.repeat(1999)}…`)
})
