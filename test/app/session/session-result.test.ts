import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeUnproven, toExitCode } from '../../../src/app/session/session-result.ts'
import type { FixSessionResult, IssueFixResult } from '../../../src/domain/session/session.ts'

const FIXED: IssueFixResult = {
  issue_id: 'i',
  issue_code: 'A',
  status: 'completed',
  commit_sha: 'abc',
  proven_by: ['challenger', 'checks'],
  fix_files_modified: ['a.py'],
  false_positive: false,
  iterations: 1,
}
const UNPROVEN: IssueFixResult = { ...FIXED, proven_by: ['challenger'], unproven: 'no check is configured' }

function resultOf(results: IssueFixResult[], more: Partial<FixSessionResult> = {}): FixSessionResult {
  return {
    ...{ session_id: 'fx', repository_id: '/r', task_id: 't', branch_name: 'fix/a', status: 'completed' },
    ...{ issues_requested: results.length, issues_fixed: results.length, issues_failed: 0, issues_skipped: 0 },
    ...{ results, commits: [], cost_usd: 0, duration_ms: 1 },
    ...more,
  }
}

test('toExitCode is 0 for proven fixes, and for unproven ones only where they are accepted', () => {
  assert.equal(toExitCode(resultOf([FIXED])), 0)
  assert.equal(toExitCode(resultOf([UNPROVEN])), 0)
  assert.equal(toExitCode(resultOf([FIXED, UNPROVEN], { unproven_refused: ['A'] })), 1)
  assert.equal(toExitCode(resultOf([FIXED], { issues_requested: 2 })), 1)
})

test('toExitCode takes the status of an ending’s code before that of its class', () => {
  const ending = { class: 'infrastructure', reason: 'no jest' } as const
  assert.equal(toExitCode(resultOf([], { ending })), 3)
  assert.equal(toExitCode(resultOf([], { ending: { ...ending, code: 'check_cannot_start' } })), 2)
})

test('toExitCode of a review is 0 only if all of the change was reviewed and nothing stands', () => {
  const clean = {
    ...{ head: 'a', base: 'b', files_changed: 1, files_reviewed: 1, not_reviewed: [], experts: ['language'] },
    ...{ confirmed: 0, refuted: 2, unverified: 0, merged: 0, record_ref: 'sha256:x' },
  }
  const exitOf = (review: Partial<FixSessionResult['review']>) =>
    toExitCode(resultOf([], { kind: 'review', review: { ...clean, ...review } }))
  assert.equal(exitOf({}), 0)
  assert.equal(exitOf({ confirmed: 1 }), 1)
  assert.equal(exitOf({ unverified: 1 }), 1)
  assert.equal(exitOf({ not_reviewed: [{ path: 'a.py', why: 'no time' }] }), 1)
  assert.equal(exitOf({ not_reviewed: [{ path: 'logo.png', why: 'binary' }] }), 0)
  const loop = { kind: 'review-fix', review: { ...clean, confirmed: 1 } } as const
  assert.equal(toExitCode(resultOf([FIXED], loop)), 0, 'what was confirmed is fixed')
  assert.equal(toExitCode(resultOf([], { ...loop, issues_requested: 1 })), 1)
  assert.equal(toExitCode(resultOf([FIXED], { ...loop, review: { ...loop.review, unverified: 1 } })), 1)
  const ending = { class: 'limit', reason: 'out of quota' } as const
  assert.equal(toExitCode(resultOf([], { kind: 'review', ending, review: clean })), 3)
})

test('describeUnproven names issues and reasons, and what to do where they are refused', () => {
  assert.equal(describeUnproven(resultOf([FIXED])), undefined)
  const text = 'unproven: A: no check is configured; see fixwright report fx'
  assert.equal(describeUnproven(resultOf([FIXED, UNPROVEN])), text)
  assert.match(
    describeUnproven(resultOf([UNPROVEN], { unproven_refused: ['A'] })) ?? '',
    /exit status is 1 \(verification\.unproven\)\. .*TAP.*verification\.reports.*--verify "make test"/,
  )
})
