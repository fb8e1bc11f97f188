import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toOneLine, truncateMiddle, truncateText } from '../../../src/domain/text/truncate.ts'

/** With pairs of halves in it, and halves alone. */
const Text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom('a', '🙂', '\ud83d') }),
)
const Most = fc.integer({ min: 1, max: 40 })

for (const [name, truncate] of Object.entries({ truncateText, truncateMiddle })) {
  test(`${name}: is never longer than it may be, and never holds half a character`, () => {
    fc.assert(
      fc.property(Text, Most, (text, most) => {
        const short = truncate(text, most)
        assert.ok(short.length <= most)
        assert.ok(short.isWellFormed())
        if (text.length <= most) assert.equal(short, text.toWellFormed())
      }),
    )
  })

  test(`${name}: loses no whole character but for those that it says are left out`, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), Most, (text, most) => {
        const [head = '', tail = ''] = truncate(text, most).split('…')
        if (text.length <= most || text.includes('…')) return
        assert.ok(text.startsWith(head) && text.endsWith(tail))
      }),
    )
  })
}

test('truncateText: keeps the beginning, truncateMiddle both ends', () => {
  assert.equal(truncateText('abcdefgh', 5), 'abcd…')
  assert.equal(truncateText('ab🙂cd', 4), 'ab…')
  assert.equal(truncateMiddle('abcdefgh', 5), 'ab…gh')
  assert.equal(truncateMiddle('abcdefghij', 7, ' … '), 'ab … ij')
  assert.equal(truncateMiddle('a🙂🙂🙂b', 5), 'a…b')
})

test('toOneLine: nothing begins a line of its own', () => {
  assert.equal(toOneLine(' a\r\n\tb\u0000c\u2028d '), 'a b c d')
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.doesNotMatch(toOneLine(text), /[\n\r\p{Cc}]/u)))
})
