// Which files a Markdown text imports, as Claude reads it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findImports } from '../../../src/domain/text/find-imports.ts'

test('an import is a word of its own, outside of code, and counted once', () => {
  const text = [
    '@docs/style.md',
    'See @./testing.md, @../shared/rules.md and again @docs/style.md.',
    'Write to ann@example.org or `@not/this.md`.',
    '```',
    '@nor/this.md',
    '```',
    '~~~sh',
    '@nor/that.md',
    '~~~',
    '- @last.md',
  ].join('\n')
  assert.deepEqual(findImports(text), ['docs/style.md', './testing.md', '../shared/rules.md', 'last.md'])
})

test('a home, an absolute path and a bare sign import nothing', () => {
  assert.deepEqual(findImports('@~/private.md @/etc/passwd @ @, @@x'), [])
})
