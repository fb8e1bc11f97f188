// The fingerprints of lines, against values that the upload action of code scanning has for the same texts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashLines } from '../../../src/domain/review/hash-lines.ts'

const END = 'c129715d7a2bc9a3:1'
const GREETING = ' hello; \t\nworld!!!\n\n\n  \t\tGreetings\n End'
const GREETED = [
  ...['e9496ae3ebfced30:1', 'fb7c023a8b9ccb3f:1', 'ce8ba1a563dcdaca:1', 'e20e36e16fcb0cc8:1', 'b3edc88f2938467e:1'],
  ...['c8e28b0b4002a3a0:1', END],
]

const KNOWN: readonly (readonly [about: string, text: string, hashes: readonly string[]])[] = [
  ['nothing', '', [END]],
  [
    'blanks',
    ' a\nb\n  \t\tc\n d',
    ['271789c17abda88f:1', '54703d4cd895b18:1', '180aee12dab6264:1', 'a23a3dc5e078b07b:1'],
  ],
  [
    'no line feed at the end',
    GREETING,
    [
      ...['8b7cf3e952e7aeb2:1', 'b1ae1287ec4718d9:1', 'bff680108adb0fcc:1', 'c6805c5e1288b612:1'],
      ...['b86d3392aea1be30:1', 'e6ceba753e1a442:1'],
    ],
  ],
  ['line feeds', `${GREETING}\n`, GREETED],
  ['CRLF', `${GREETING}\n`.replaceAll('\n', '\r\n'), GREETED],
  ['CR', `${GREETING}\n`.replaceAll('\n', '\r'), GREETED],
  [
    'lines that look the same',
    'Lorem ipsum dolor sit amet.\n'.repeat(10),
    [
      ...[1, 2, 3, 4, 5, 6].map((count) => `a7f2ff13bc495cf2:${count}`),
      ...['a7f2ff1481e87703:1', 'a9cf91f7bbf1862b:1', '55ec222b86bcae53:1', 'cc97dc7b1d7d8f7b:1', END],
    ],
  ],
  [
    'more than blanks',
    ' a l p h a \r\n\tbeta\r\nalpha\r\n',
    ['8d07ce75f7b3af45:1', 'ca140c3f893ffa65:1', '26f09ff008857193:1', END],
  ],
]

for (const [about, text, hashes] of KNOWN) {
  test(`the fingerprints of lines are those of code scanning: ${about}`, () => {
    assert.deepEqual(hashLines(text), hashes)
  })
}
