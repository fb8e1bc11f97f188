import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdownTable } from '../../../src/domain/text/markdown-table.ts'

test('renderMarkdownTable keeps each row on one line, whatever its cells hold', () => {
  const rows = [
    ['a|b', 'one\rtwo\r\nthree\nfour'],
    [undefined, 5],
  ]
  assert.equal(
    renderMarkdownTable(['name', 'text'], rows),
    '| name | text |\n|---|---|\n| a/b | one two three four |\n|  | 5 |',
  )
})
