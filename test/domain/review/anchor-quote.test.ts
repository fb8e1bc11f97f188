import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anchorQuote, parseReportedLines, splitTextLines } from '../../../src/domain/review/anchor-quote.ts'

const lines = ['def total(items):', '    return 0', '', 'def mean(items):', '    return 0', '    pass']

test('anchorQuote keeps the reported line where the quote stands there, also among repeated lines [S3-3]', () => {
  assert.deepEqual(anchorQuote({ line: '5', quote: 'return 0' }, lines), { kind: 'anchored', line: 5, end_line: 5 })
  assert.deepEqual(anchorQuote({ line: '2', quote: '    return 0' }, lines), { kind: 'anchored', line: 2, end_line: 2 })
  assert.deepEqual(anchorQuote({ line: '4-5', quote: 'def mean(items):\n    return 0' }, lines), {
    kind: 'anchored',
    line: 4,
    end_line: 5,
  })
})

test('anchorQuote moves a finding only to the one place that holds its quote, and says so', () => {
  assert.deepEqual(anchorQuote({ line: '1', quote: 'pass' }, lines), {
    kind: 'moved',
    line: 6,
    end_line: 6,
    note: 'reported at line 1, its quote stands at line 6',
  })
  assert.equal(anchorQuote({ quote: 'pass' }, lines).kind, 'moved')
})

test('anchorQuote leaves a quote that stands twice elsewhere, or nowhere, without a line', () => {
  assert.deepEqual(anchorQuote({ line: '1', quote: 'return 0' }, lines), {
    kind: 'unanchored',
    note: 'reported at line 1, and its quote stands at 2 other places',
  })
  assert.equal(anchorQuote({ line: '2', quote: 'return 1' }, lines).kind, 'unanchored')
  assert.equal(anchorQuote({ line: '2', quote: ' \n ' }, lines).kind, 'unanchored')
})

test('a range that holds the quote twice stays the range that was reported', () => {
  assert.deepEqual(anchorQuote({ line: '1-6', quote: 'return 0' }, lines), { kind: 'anchored', line: 1, end_line: 6 })
})

test('parseReportedLines reads the ways in which reviewers write lines, and nothing else', () => {
  for (const [text, range] of [
    ['45', { start: 45, end: 45 }],
    ['45-67', { start: 45, end: 67 }],
    ['L45-L67', { start: 45, end: 67 }],
    ['45:3', { start: 45, end: 45 }],
    ['67-45', undefined],
    ['0', undefined],
    ['about 45', undefined],
    [undefined, undefined],
  ] as const)
    assert.deepEqual(parseReportedLines(text), range, `${text}`)
})

// Few letters, so that lines and quotes repeat; blank lines and indentation among them.
const line = fc.constantFrom('a', '  a', 'b', 'c', '', 'a b')
const file = fc.array(line, { minLength: 1, maxLength: 30 })

test('an anchor always holds the quote, and a quote at its reported line is never moved or lost', () => {
  fc.assert(
    fc.property(
      file,
      fc.nat(29),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 40 }),
      (text, at, size, said) => {
        const start = at % text.length
        const quote = text.slice(start, start + size).join('\r\n')
        const wanted = quote.split('\r\n').map((each) => each.trim())
        const anchor = anchorQuote({ line: `${said}`, quote }, splitTextLines(text.join('\n')))
        const isBlank = wanted.every((each) => each === '')
        const holds = (place: number) => {
          const first = wanted.findIndex((each) => each !== '')
          const core = wanted.slice(first, wanted.findLastIndex((each) => each !== '') + 1)
          return core.every((each, index) => text[place - 1 + index]?.trim() === each)
        }
        if (isBlank) return assert.equal(anchor.kind, 'unanchored')
        const places = text.map((_, index) => index + 1).filter(holds)
        if (places.includes(said))
          return assert.deepEqual([anchor.kind, 'line' in anchor && anchor.line], ['anchored', said])
        if (places.length === 1)
          return assert.deepEqual([anchor.kind, 'line' in anchor && anchor.line], ['moved', places[0]])
        return assert.equal(anchor.kind, 'unanchored')
      },
    ),
  )
})

test('line ends make no difference', () => {
  fc.assert(
    fc.property(file, fc.nat(29), fc.integer({ min: 1, max: 40 }), (text, at, said) => {
      const asked = { line: `${said}`, quote: text.slice(at % text.length, (at % text.length) + 2).join('\n') }
      const anchors = ['\n', '\r\n'].map((end) => anchorQuote(asked, splitTextLines(text.join(end))))
      assert.deepEqual(anchors[0], anchors[1])
    }),
  )
})

test('a file of 5,000 lines is searched whole', () => {
  const long = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`)
  assert.deepEqual(anchorQuote({ line: '5', quote: 'line 4999\nline 5000' }, long), {
    kind: 'moved',
    line: 4_999,
    end_line: 5_000,
    note: 'reported at line 5, its quote stands at line 4999',
  })
})
