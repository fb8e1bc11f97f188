// Summaries depend on the lines of the summary alone: not on chunks, line ends, unrelated lines or how two streams alternate.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSummaryReader } from '../../../../src/domain/verification/summaries/summary-reader.ts'
import { createLineSplitter } from '../../../../src/platform/processes/line-splitter.ts'
import { PRINTED, summarize } from './support.ts'

const AnyOutput = fc.constantFrom(...PRINTED)

/** Much like a summary, and none. */
const NOISE = [
  'INFO 12 tests were passed on to the worker',
  'ERROR: connection refused',
  'request failed with 3 errors',
  '    expected 3 passed to equal 4 passed',
  'Tests: are written in test/',
  '  ok, 3 of 5 done',
  'downloading 40%\rdownloading 100%',
  '',
  '    at Object.<anonymous> (src/a.js:3:5)',
  '{"level":30,"msg":"3 failed","Action":7}',
  'warning: unused variable: `x`',
  '\u001b[2m--- a note ---\u001b[22m',
]

test('summaries do not depend on how the output is cut into chunks, or on its line ends', () => {
  fc.assert(
    fc.property(
      AnyOutput,
      fc.infiniteStream(fc.integer({ min: 1, max: 400 })),
      fc.boolean(),
      (printed, sizes, isCrLf) => {
        const bytes = Buffer.from(isCrLf ? printed.text.replaceAll('\n', '\r\n') : printed.text)
        const reader = createSummaryReader()
        const lines = createLineSplitter(1 << 20, (line) => reader.line(line))
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value ?? 1
          lines.push(bytes.subarray(at, at + size))
          at += size
        }
        lines.end()
        assert.deepEqual(reader.end(printed.exitStatus), summarize(printed.text, printed.exitStatus))
      },
    ),
    { numRuns: 300 },
  )
})

test('summaries do not depend on unrelated lines', () => {
  const Noise = fc.oneof(
    fc.constantFrom(...NOISE),
    fc.string({ unit: 'binary' }).map((text) => `~ ${text}`),
  )
  fc.assert(
    fc.property(AnyOutput, fc.array(fc.tuple(fc.nat(), Noise), { maxLength: 40 }), (printed, noise) => {
      const lines = printed.text.split('\n')
      for (const [at, line] of noise) lines.splice(at % (lines.length + 1), 0, line)
      assert.deepEqual(summarize(lines.join('\n'), printed.exitStatus), summarize(printed.text, printed.exitStatus))
    }),
    { numRuns: 500 },
  )
})

test('the counts of two streams do not depend on how their lines alternate', () => {
  fc.assert(
    fc.property(AnyOutput, AnyOutput, fc.infiniteStream(fc.boolean()), (a, b, turns) => {
      fc.pre(a.name.split(' ')[0] !== b.name.split(' ')[0])
      const [left, right] = [a.text.split('\n'), b.text.split('\n')]
      const mixed: string[] = []
      while (left.length + right.length > 0) {
        const from = (turns.next().value && left.length > 0) || right.length === 0 ? left : right
        mixed.push(from.shift() ?? '')
      }
      const counted = (text: string) => summarize(text)?.runners.map((runner) => ({ ...runner, failing: [] }))
      assert.deepEqual(counted(mixed.join('\n')), counted(`${a.text}\n${b.text}`))
    }),
    { numRuns: 500 },
  )
})

test('summaries stay small, however long the lines and however many the failures', () => {
  const reader = createSummaryReader()
  const long = 'x'.repeat(300_000)
  for (let n = 0; n < 20_000; n += 1)
    reader.line(`FAILED tests/test_${n}.py::test_it - ${n % 1_000 === 0 ? long : 'no'}`)
  reader.line(`FAILED tests/test_a.py::test_${long}`)
  reader.line(`${long}\r${'9'.repeat(400)} failed, 2 passed in 0.1s`)
  reader.line('20001 failed, 7 passed in 12.3s')
  const summary = reader.end(1)
  assert.equal(summary?.runners[0]?.failed, 20_001)
  assert.equal(summary?.runners[0]?.passed, 9)
  assert.equal(summary?.runners[0]?.failing.length, 100)
  assert.ok(JSON.stringify(summary).length < 30_000)
})

test('summaries are read in time that grows with the output alone', () => {
  const hostile = [
    ' '.repeat(5_000),
    '1 a'.repeat(2_000),
    '1.'.repeat(3_000),
    '● '.repeat(3_000),
    `FAILED ${'::'.repeat(2_000)}`,
    '(('.repeat(3_000),
  ]
  const started = performance.now()
  for (const line of hostile) summarize(`${line}\n`.repeat(300))
  assert.ok(performance.now() - started < 10_000)
})
