// What a fixer is told of failed commands: the newly broken first, nothing twice, within a budget, and never less than the truth.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { condenseOutput } from '../../../../src/agents/prompts/parts/condense-output.ts'
import { type VerificationOutput, verificationPart } from '../../../../src/agents/prompts/parts/verification.ts'

const TRACE = [
  'Traceback (most recent call last):',
  '  File "a.py", line 3, in f',
  '    return 1 / 0',
  'ZeroDivisionError',
]

test('lines that come again are told once, by their last copy, and what only looks alike stays [S4-8]', () => {
  const again = ['first', ...TRACE, 'between', ...TRACE, 'last'].join('\n')
  assert.equal(condenseOutput(again), ['first', '… 4 lines that stand below …', 'between', ...TRACE, 'last'].join('\n'))
  const often = Array.from({ length: 50 }, () => 'warning: it is slow, and was slow the last time')
  const short = condenseOutput(['begin', ...often, 'end'].join('\n'))
  assert.deepEqual(short.split('\n'), ['begin', '… the next line, 49 more times …', often[0], 'end'])
  const round = ['could not connect to the server', 'it was refused at 0xdeadbeef00']
  const rounds = Array.from({ length: 10 }, () => round).flat()
  assert.deepEqual(condenseOutput(rounds.join('\n')).split('\n'), ['… the next 2 lines, 9 more times …', ...round])
  for (const unlike of [
    [
      'expected 3 but got 4 in the first test',
      'expected 3 but got 5 in the second test',
      'expected 3 but got 6 in the third test',
    ].join('\n'),
    '\n\n\n\n\n',
    'a\na\na\na',
    '',
  ]) {
    assert.equal(condenseOutput(unlike), unlike)
  }
})

test('nothing is lost by it: every line is there as it was [S4-8]', () => {
  const line = fc.constantFrom(...TRACE, 'one', 'two (3 ms)', 'two (4 ms)', '', 'expected 1, got 2')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const kept = new Set(condenseOutput(lines.join('\n')).split('\n'))
      for (const each of lines) assert.ok(kept.has(each), each)
    }),
  )
})

function shown(outputs: readonly VerificationOutput[], limit = 10_000) {
  const part = verificationPart(outputs, limit)
  return { entries: JSON.parse(part?.block.content ?? ''), remark: part?.remark ?? '' }
}

test('what is newly broken comes first, a long output takes what short ones leave, and the same again is said and, where it is held, not repeated [S4-8]', () => {
  const long = Array.from({ length: 500 }, (_, index) => `line ${index} of much output`).join('\n')
  const { entries, remark } = shown(
    [
      { command: 'lint', outcome: 'failed', output: 'short' },
      { command: 'test', outcome: 'failed', output: long, newly_broken: ['a > b'] },
    ],
    4000,
  )
  assert.deepEqual(
    entries.map(({ command }: VerificationOutput) => command),
    ['test', 'lint'],
  )
  assert.ok(
    entries[0].output.length > 3900 &&
      entries[0].output.length < 4000 &&
      entries[0].output.endsWith('line 499 of much output'),
  )
  assert.equal(entries[1].output, 'short')
  assert.match(remark, /^Of the output of command 1 in `verification`, the first \d+ of 500 lines/)

  const run = { command: 'test', outcome: 'failed', output: long, output_id: 'abc' }
  const told = shown([{ ...run, other_numbers: [] }])
  assert.match(
    told.remark,
    /What command 1 in `verification` says is the same as after the attempt before: what was changed since did not touch its cause\./,
  )
  assert.ok(told.entries[0].output.length > 5000)
  const held = shown([{ ...run, other_numbers: [], isHeld: true }])
  assert.deepEqual(held.entries, [{ command: 'test', outcome: 'failed', output_id: 'abc', unchanged: true }])
  assert.match(held.remark, /Its output stands in an earlier prompt, under the same `output_id`\.$/)

  const other = { ...run, other_numbers: ['line 7 of less output'] }
  assert.match(
    shown([other]).remark,
    /the same as after the attempt before, but for numbers: where those are only times,/,
  )
  const heldToo = shown([{ ...other, isHeld: true }])
  assert.deepEqual(heldToo.entries[0].other_numbers, ['line 7 of less output'])
  assert.match(heldToo.remark, /`other_numbers` has the lines of which a number is another one now\.$/)
})

test('what a command says again and again is told once in a prompt, of either stream [S4-8]', () => {
  const again = 'the very same warning of some length, at src/a.ts:12\n'.repeat(300)
  const { entries, remark } = shown([
    { command: 'test', outcome: 'failed', output: `${again}the end`, errors: `${again}of it` },
  ])
  const told = ['the end', 'of it'].map((end) => new RegExp(`^… the next line, 299 more times …\\n.*:12\\n${end}$`))
  assert.match(entries[0].output, told[0] as RegExp)
  assert.match(entries[0].errors, told[1] as RegExp)
  assert.equal(remark, '')
})
