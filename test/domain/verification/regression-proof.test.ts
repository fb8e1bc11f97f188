// What a test that came with a fix proves, from three runs of the same commands.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VerificationRun } from '../../../src/domain/verification/gate-record.ts'
import { deriveRegressionProof } from '../../../src/domain/verification/regression-proof.ts'

const ABOUT = { codes: ['A'], files: ['tests/test_a.py'] }
const [GREEN, RED] = ['passed', 'failed: exit status 1']

function run(outcome: string, tests?: VerificationRun['tests']): VerificationRun {
  return { command: 'make test', outcome, ...(tests ? { tests } : {}) }
}

function told(base: VerificationRun, without: VerificationRun, fixed: VerificationRun) {
  const { verdict, why, tests } = deriveRegressionProof(ABOUT, {
    base: [base],
    withoutFix: [without],
    withFix: [fixed],
  })
  return [verdict, why, tests]
}

test('it has to fail without the fix, where the base alone passes, and to pass with it', () => {
  assert.deepEqual(told(run(GREEN), run(RED), run(GREEN)), [
    'proven',
    'without the fix make test fails, with it it passes',
    [],
  ])
  assert.deepEqual(told(run(GREEN), run(GREEN), run(GREEN))[1], 'its tests pass without the fix, too')
  assert.deepEqual(told(run(GREEN), run(RED), run(RED))[1], 'make test fails with the fix, too')
  assert.deepEqual(
    told(run(RED), run(RED), run(GREEN))[1],
    'every command failed on the base already: nothing more can be seen to fail',
  )
  assert.equal(deriveRegressionProof(ABOUT, undefined).why, 'no test was added or changed')
  const setup = deriveRegressionProof(ABOUT, {
    base: [run(GREEN)],
    withoutFix: [{ ...run(RED), setup: true }],
    withFix: [run(GREEN)],
  })
  assert.deepEqual([setup.verdict, /^the setup failed/.test(setup.why)], ['not_proven', true])
})

test('in a suite that was red before, its own tests are told apart where they can be read', () => {
  const base = run(RED, { old: 'failed', kept: 'passed' })
  const without = run(RED, { old: 'failed', kept: 'passed', 'refuses -1': 'failed' })
  const fixed = run(RED, { old: 'failed', kept: 'passed', 'refuses -1': 'passed' })
  assert.deepEqual(told(base, without, fixed), [
    'proven',
    'without the fix refuses -1 fails, with it it passes',
    ['refuses -1'],
  ])
  assert.deepEqual(told(base, without, without)[0], 'not_proven')
  assert.deepEqual(told(base, base, fixed)[1], 'its tests pass without the fix, too')
  const why = 'without the fix make test fails, with it it passes'
  assert.deepEqual(told(base, run(RED), run(GREEN)), ['proven', why, []], 'kept was seen before')
  assert.equal(told(base, run(RED), fixed)[0], 'not_proven')
})

test('what fails without the fix has to pass with it: that its command is green does not make up for a test that is skipped, or was never loaded', () => {
  const base = run(GREEN, { old: 'passed' })
  const skipped = [
    run(RED, { old: 'passed', fresh: 'failed' }),
    run(GREEN, { old: 'passed', fresh: 'skipped' }),
  ] as const
  assert.deepEqual(told(base, ...skipped), [
    'not_proven',
    'fresh fails without the fix, and with it it does not pass: it is skipped, or not there',
    [],
  ])
  const loaded = [
    run(RED, { old: 'passed', 'a.test.js': 'failed' }),
    run(GREEN, { old: 'passed', fresh: 'passed' }),
  ] as const
  assert.deepEqual(told(base, ...loaded).slice(0, 2), [
    'not_proven',
    'a.test.js fails without the fix, and with it it does not pass: it is skipped, or not there',
  ])
  assert.equal(
    told(base, skipped[0], run(RED, { old: 'passed', fresh: 'failed' }))[1],
    'make test fails with the fix, too',
  )
  assert.equal(told(base, skipped[0], run(GREEN))[0], 'proven', 'where its tests cannot be read, the command counts')
})

test('in a suite that was red before, and of which only counts and names can be read, they decide', () => {
  const counted = (passed: number, failing: string[], errors = 0): VerificationRun => {
    const counts = { passed, failed: failing.length - errors, errors, skipped: 0, failedFiles: 0, failing }
    return { ...run(RED), summary: { state: 'ran', runners: [{ runner: 'pytest', state: 'ran', ...counts }] } }
  }
  const [base, without, fixed] = [counted(9, ['old']), counted(9, ['old', 'new']), counted(10, ['old'])]
  assert.deepEqual(told(base, without, fixed), ['proven', 'without the fix new fails, with it it passes', ['new']])
  assert.equal(told(base, without, without)[1], 'make test fails with the fix, too')
  assert.equal(told(base, counted(9, ['old', 'new'], 1), fixed)[0], 'not_proven', 'its file does not load')
  assert.equal(told(base, base, fixed)[1], 'its tests pass without the fix, too')
})
