// What a fixer is told of failed commands: the newly broken first, nothing twice, within a budget, and never less than the truth.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { condenseOutput, hashOutput } from '../../../../src/agents/prompts/parts/condense-output.ts'
import { stripNoise } from '../../../../src/agents/prompts/parts/output-noise.ts'
import { type VerificationOutput, verificationPart } from '../../../../src/agents/prompts/parts/verification.ts'

const TRACE = [
  'Traceback (most recent call last):',
  '  File "a.py", line 3, in f',
  '    return 1 / 0',
  'ZeroDivisionError',
]

test('S4-8 lines that come again are told once, by their last copy, and what only looks alike stays', () => {
  const again = ['first', ...TRACE, 'between', ...TRACE, 'last'].join('\n')
  assert.equal(condenseOutput(again), ['first', '… 4 lines that stand below …', 'between', ...TRACE, 'last'].join('\n'))
  const noisy = Array.from(
    { length: 50 },
    (_, index) => `2026-11-18T20:00:${10 + (index % 40)}Z warning: it is slow (${index} ms)`,
  )
  const short = condenseOutput(['begin', ...noisy, 'end'].join('\n'))
  assert.deepEqual(short.split('\n'), ['begin', '… the next line, 49 more times …', noisy.at(-1), 'end'])
  const round = Array.from({ length: 10 }, (_, index) => [
    `12:00:${10 + index} could not connect to the server`,
    'it was refused at 0xdeadbeef00',
  ]).flat()
  assert.deepEqual(condenseOutput(round.join('\n')).split('\n'), [
    '… the next 2 lines, 9 more times …',
    ...round.slice(-2),
  ])
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

test('S4-8 nothing is lost by it: every line is there as it was, or a line that differs from it only in noise', () => {
  const line = fc.constantFrom(...TRACE, 'one', 'two (3 ms)', 'two (4 ms)', '', 'expected 1, got 2')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const kept = new Set(condenseOutput(lines.join('\n')).split('\n').map(stripNoise))
      for (const each of lines) assert.ok(kept.has(stripNoise(each)), each)
    }),
  )
})

test('S4-8 two runs that differ in times and addresses said the same, and two that differ in a value did not', () => {
  const run = (value: number, time: string) =>
    `FAIL a.test.ts (${time})\n  expected 3, got ${value} at 0x7ffe${time.slice(0, 2)}aa11\nRan 3 tests in 0.0${value}s`
  assert.equal(hashOutput([run(4, '12 ms')]), hashOutput([run(4, '31 ms')]))
  assert.notEqual(hashOutput([run(4, '12 ms')]), hashOutput([run(5, '12 ms')]))
})

test('S4-8 a time in what a test compares is what it says: two such outputs are not the same, and such lines stay', () => {
  const pairs = [
    [
      'expected 2024-03-10T03:30:00Z, got 2024-03-10T02:30:00Z',
      'expected 2024-03-10T03:30:00Z, got 2024-03-10T04:30:00Z',
    ],
    ['got 13:00:00', 'got 11:00:00'],
    ['query took 250 ms', 'query took 130 ms'],
    ['13:00:00 !== 12:00:00', '11:00:00 !== 12:00:00'],
    [`  left: "13:00:00"`, `  left: "11:00:00"`],
    [`+ '2024-03-10T02:30:00Z'`, `+ '2024-03-10T04:30:00Z'`],
    ['it rings at 13:00:00', 'it rings at 11:00:00'],
    ['alarm 13:00:00 rings', 'alarm 11:00:00 rings'],
    ['    13:00:00', '    11:00:00'],
    ['AssertionError: too slow (250 ms)', 'AssertionError: too slow (130 ms)'],
    ['checksum 0xdeadbeef', 'checksum 0xdeadbeee'],
  ] as const
  for (const [one, other] of pairs) {
    const [first, second] = [one, other].map((line) => hashOutput([`FAIL a.test.ts (12 ms)\n${line}\n`]))
    assert.notEqual(first, second, one)
    const lines = [one, other, one].join('\n')
    assert.equal(condenseOutput(lines), lines)
  }
})

test('S4-8 what runners and logs say of the time is none of it', () => {
  const pairs = [
    // vitest
    ['   Start at  20:00:10', '   Start at  21:10:11'],
    [
      '   Duration  300ms (transform 30ms, setup 0ms, import 40ms, tests 5ms, environment 0ms)',
      '   Duration  1.31s (transform 45ms, setup 1ms, import 1.05s, tests 6ms, environment 0ms)',
    ],
    [' ❯ a.test.ts (3 tests | 1 failed) 12ms', ' ❯ a.test.ts (3 tests | 1 failed) 9ms'],
    ['   × returns what is expected 5ms', '   × returns what is expected 6ms'],
    // go test
    ['FAIL\texample.com/ledger\t0.003s', 'FAIL\texample.com/ledger\t0.012s'],
    ['--- FAIL: TestExpected (0.00s)', '--- FAIL: TestExpected (0.01s)'],
    // Maven
    [
      '[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! -- in a.LedgerTest',
      '[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.061 s <<< FAILURE! -- in a.LedgerTest',
    ],
    ['[INFO] Total time:  1.2 s', '[INFO] Total time:  01:02 min'],
    ['[INFO] Finished at: 2026-11-18T20:00:10Z', '[INFO] Finished at: 2026-11-18T21:10:11+01:00'],
    // PHPUnit
    ['Time: 00:00.012, Memory: 6.00 MB', 'Time: 00:01.120, Memory: 8.00 MB'],
    // the others
    ['1 failed, 2 passed in 0.05s', '1 failed, 2 passed in 62.01s (0:01:02)'],
    ['Ran 3 tests in 0.004s', 'Ran 3 tests in 0.012s'],
    ['Time:        0.5 s, estimated 1 s', 'Time:        2 s, estimated 3 s'],
    [
      'Finished in 0.002 seconds (files took 0.1 seconds to load)',
      'Finished in 1 second (files took 2 seconds to load)',
    ],
    ['✖ gets what it wants (1.25ms)', '✖ gets what it wants (12.5ms)'],
    ['  duration_ms: 1.25', '  duration_ms: 12.5'],
    ['BUILD FAILED in 3s', 'BUILD FAILED in 12s'],
    ['2026-11-18 20:00:10,123 it waits', '2026-11-18 20:00:10,124 it waits'],
    ['[20:00:10] Starting', '[20:10:11] Starting'],
    ['[INFO] 2026/11/18 20:00:10 it waits', '[INFO] 2026/11/18 20:00:11 it waits'],
    [
      'npm error /home/a/.npm/_logs/2026-11-18T20_00_10_123Z-debug-0.log',
      'npm error /home/a/.npm/_logs/2026-11-18T21_10_11_456Z-debug-0.log',
    ],
  ] as const
  for (const [one, other] of pairs) assert.equal(stripNoise(one), stripNoise(other))
})

test('S4-8 no line is long enough to hold anybody up', () => {
  const begun = performance.now()
  for (const part of [' ', '(1', ' 1', '1.', '✖ (1ms', '12:00:00 ', 'in 1', ', time', '0x1'])
    stripNoise(`✖ ${part.repeat(200_000)}\n${part.repeat(200_000)}x`)
  assert.ok(performance.now() - begun < 3000)
})

function shown(outputs: readonly VerificationOutput[], limit = 10_000) {
  const part = verificationPart(outputs, limit)
  return { entries: JSON.parse(part?.block.content ?? ''), remark: part?.remark ?? '' }
}

test('S4-8 what is newly broken comes first, a long output takes what short ones leave, and the same again is said and, where it is held, not repeated', () => {
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
  const told = shown([{ ...run, repeated: 'told' }])
  assert.match(
    told.remark,
    /What command 1 in `verification` says is the same as after the attempt before: what was changed since did not touch its cause\./,
  )
  assert.ok(told.entries[0].output.length > 5000)
  const held = shown([{ ...run, repeated: 'held' }])
  assert.deepEqual(held.entries, [{ command: 'test', outcome: 'failed', output_id: 'abc', unchanged: true }])
  assert.match(held.remark, /Its output stands in an earlier prompt, under the same `output_id`\./)
})

test('S4-8 what a command says again and again is told once in a prompt, of either stream', () => {
  const again = 'the very same warning of some length, at src/a.ts:12\n'.repeat(300)
  const { entries, remark } = shown([
    { command: 'test', outcome: 'failed', output: `${again}the end`, errors: `${again}of it` },
  ])
  const told = ['the end', 'of it'].map((end) => new RegExp(`^… the next line, 299 more times …\\n.*:12\\n${end}$`))
  assert.match(entries[0].output, told[0] as RegExp)
  assert.match(entries[0].errors, told[1] as RegExp)
  assert.equal(remark, '')
})
