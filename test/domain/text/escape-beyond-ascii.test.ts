import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { escapeBeyondAscii } from '../../../src/domain/text/escape-beyond-ascii.ts'

test('escapeBeyondAscii changes no string, template or pattern, and leaves nothing but ASCII', () => {
  const code = '["⏳ waits · 日本", `¾ ≥ 😀`, "a😀b".replace(/[😀—]/u, "→"), /^é$/.test("é")] // “so” it is'
  const escaped = escapeBeyondAscii(code)
  assert.doesNotMatch(escaped, /[^\0-\x7f]/)
  assert.equal(JSON.stringify(runInNewContext(escaped)), JSON.stringify(runInNewContext(code)))
})
