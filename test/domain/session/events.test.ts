// The vocabulary of the event log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventType, NewEvent, SessionEvent, TERMINAL_EVENTS } from '../../../src/domain/session/events.ts'

const NAMED = [
  'fix_session_started',
  'fix_issue_started',
  'fix_issue_validating',
  'fix_issue_generating',
  'fix_issue_streaming',
  'fix_challenger_evaluating',
  'fix_challenger_result',
  'fix_issue_committed',
  'fix_session_completed',
  'fix_session_error',
  'fix_issue_completed',
  'fix_billing_error',
]

for (const name of NAMED) {
  test(`S2-24 there is an event ${name}`, () => assert.ok((EventType.options as readonly string[]).includes(name)))
}

test('C9 what the flow needs besides has an event too, all names start with fix_ and none stands twice', () => {
  const besides = [
    'fix_issue_analyzing',
    'fix_plan_ready',
    'fix_batch_started',
    'fix_batch_completed',
    'fix_scope_violation',
    'fix_verification_started',
    'fix_verification_result',
    'fix_issue_regenerating',
    'fix_issue_skipped',
    'fix_log',
    'fix_session_cancelled',
  ]
  for (const name of besides) assert.ok((EventType.options as readonly string[]).includes(name), name)
  assert.ok(EventType.options.every((name) => name.startsWith('fix_')))
  assert.equal(new Set(EventType.options).size, EventType.options.length)
})

test('S2-24 a session ends with one of four events: completed, error, cancelled, out of credit', () => {
  assert.deepEqual([...TERMINAL_EVENTS].sort(), [
    'fix_billing_error',
    'fix_session_cancelled',
    'fix_session_completed',
    'fix_session_error',
  ])
})

test('S2-25 an event carries type, time, session, issue, its 1-based place, the total, a message and a commit', () => {
  const event = {
    type: 'fix_issue_committed',
    timestamp: '2026-11-18T14:16:57.000Z',
    session_id: 's1',
    seq: 7,
    issue_id: 'i1',
    issue_code: 'FUNC-001',
    issue_index: 1,
    total_issues: 3,
    message: 'Commit 1 of 1',
    commit_sha: 'abc',
  }
  assert.deepEqual(SessionEvent.parse(event), event)
  for (const wrong of [{ issue_index: 0 }, { seq: 0 }, { type: 'fix_party' }, { seq: 1.5 }, { timestamp: undefined }]) {
    assert.ok(!SessionEvent.safeParse({ ...event, ...wrong }).success, JSON.stringify(wrong))
  }
})

test('S2-25 a new event has a key, which the log keeps to itself', () => {
  assert.ok(NewEvent.safeParse({ key: 'k', type: 'fix_log', message: 'm' }).success)
  assert.ok(!NewEvent.safeParse({ type: 'fix_log', message: 'm' }).success)
  assert.ok(!('key' in SessionEvent.shape))
})
