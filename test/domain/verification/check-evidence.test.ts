import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deriveCheckEvidence } from '../../../src/domain/verification/check-evidence.ts'
import type { OldTestsResult, VerificationRun } from '../../../src/domain/verification/gate-record.ts'
import { isMute } from '../../../src/domain/verification/red-base.ts'

const RED = 'failed: exit status 1'

function run(command: string, outcome: string, more: Partial<VerificationRun> = {}): VerificationRun {
  return { command, outcome, ...more }
}

function oldTests(verification: VerificationRun[], unproven: string[]): OldTestsResult {
  return { head: 'h', key: 'k', files: [], failures: [], verification, unproven }
}

test('deriveCheckEvidence lists commands that pass, and those whose tests are no worse', () => {
  const base = [run('a', 'passed'), run('b', RED, { tests: { x: 'failed', y: 'passed' } }), run('c', RED)]
  assert.deepEqual(deriveCheckEvidence({ base, withFix: base }), { passed: ['a', 'b (no test newly broken)'] })
})

test('deriveCheckEvidence says why nothing is proven: red before and after', () => {
  const base = [run('c', RED), run('d', 'failed: exit status 2')]
  assert.deepEqual(deriveCheckEvidence({ base, withFix: base }), {
    passed: [],
    unproven: `no check could say anything of it: c (${RED}, as before); d (failed: exit status 2, as before)`,
  })
  assert.deepEqual(deriveCheckEvidence({ base, withFix: [] }), {
    passed: [],
    unproven: 'no check could say anything of it',
  })
})

test('deriveCheckEvidence takes no command for a proof that only the changed tests turn green', () => {
  const [base, withFix] = [[run('c', RED)], [run('c', 'passed')]]
  assert.deepEqual(deriveCheckEvidence({ base, withFix }), { passed: ['c'] })
  assert.deepEqual(deriveCheckEvidence({ base, withFix, oldTests: oldTests(base, ['c']) }), {
    passed: [],
    unproven: 'no check could say anything of it: c (passes only with the tests that the fix changed)',
  })
})

test('deriveCheckEvidence believes what such a command says with the tests as they were', () => {
  const base = [run('c', RED, { tests: { x: 'failed', y: 'passed' } })]
  const withFix = [run('c', 'passed', { tests: { y: 'passed' } })]
  assert.deepEqual(deriveCheckEvidence({ base, withFix, oldTests: oldTests(base, ['c']) }), {
    passed: ['c (no test newly broken)'],
  })
})

test('isMute finds red commands of which nothing is seen to pass', () => {
  const counts = { runner: 'pytest', passed: 2, failed: 1, errors: 0, skipped: 0, failedFiles: 0, failing: [] }
  const summary = (state: 'ran' | 'build_failed') => ({ state, runners: [{ ...counts, state }] })
  assert.equal(isMute(run('a', RED)), true)
  assert.equal(isMute(run('a', RED, { summary: summary('build_failed') })), true)
  assert.equal(isMute(run('a', RED, { summary: { state: 'could_not_start', runners: [] } })), true)
  assert.equal(isMute(run('a', 'passed')), false)
  assert.equal(isMute(run('a', RED, { tests: { x: 'failed' } })), true)
  assert.equal(isMute(run('a', RED, { tests: { x: 'failed', y: 'passed' } })), false)
  assert.equal(isMute(run('a', RED, { summary: summary('ran') })), false)
})
