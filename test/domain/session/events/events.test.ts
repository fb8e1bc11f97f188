import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixCallStarted } from '../../../../src/domain/session/events/agent-call-events.ts'
import {
  describeEvent,
  EventType,
  getEventStepId,
  LogCode,
  listCallIssueCodes,
  listEventIssueCodes,
  type NewEvent,
  SessionEvent,
  TERMINAL_EVENTS,
  withSessionTotal,
} from '../../../../src/domain/session/events/index.ts'
import { SESSION_CASES } from './cases/session.ts'
import { WORK_CASES } from './cases/work.ts'
import { CASES } from './made-events.ts'

test('an event is known by its key and read as its sentence', () => {
  for (const [event, key, message] of CASES) assert.deepEqual([event.key, describeEvent(event)], [key, message])
})

test('the log reads an event as it was made, and without its key', () => {
  for (const [event] of CASES) {
    const kept = { session_id: 's', seq: 1, timestamp: 't', message: describeEvent(event) }
    const { key, ...stored } = JSON.parse(JSON.stringify({ ...event, ...kept }))
    assert.deepEqual(SessionEvent.parse({ key, ...stored }), stored)
  }
})

test('every type and every code of the log has a constructor', () => {
  const types = new Set(CASES.map(([{ type }]) => type))
  assert.deepEqual([...types].sort(), EventType.options.toSorted())
  const codes = new Set(CASES.flatMap(([event]) => (event.type === 'fix_log' ? [event.data.code] : [])))
  const made = LogCode.options.filter((code) => code !== 'recorded_earlier')
  assert.deepEqual([...codes].sort(), made.sort())
})

test('the total of a session joins the facts of an event', () => {
  const total = { cost_usd: 1, tokens: 2 }
  for (const [event] of CASES) {
    assert.deepEqual(withSessionTotal(event, total), { ...event, data: { ...event.data, total } })
    assert.deepEqual(withSessionTotal(event, total, 2), { ...event, data: { ...event.data, lane: 2, total } })
  }
})

test('what made an event end a session decides its type', () => {
  const ends = SESSION_CASES.flatMap(([{ type }]) => (TERMINAL_EVENTS.has(type) ? [type] : []))
  assert.deepEqual(ends, [
    'fix_session_completed',
    'fix_session_completed',
    'fix_session_error',
    'fix_billing_error',
    'fix_session_cancelled',
  ])
})

test('a literal is no event: only a constructor makes one', () => {
  // @ts-expect-error: it has all of its fields, and no constructor has seen it.
  const literal: NewEvent = { key: 'stage/1', type: 'fix_stage_started', data: { stage: 1 } }
  assert.equal(describeEvent(literal), 'stage 1')
})

test('a call works on its issues unless it says that it asks for something else', () => {
  const place = { session_id: 's', seq: 1, timestamp: 't', message: '' }
  const call = { role: 'planner', call: 'plan.p1', attempt: 1, codes: ['A', 'B'] }
  const worksOn = (about?: string) =>
    listCallIssueCodes(SessionEvent.parse({ ...fixCallStarted(call, about), ...place }))
  assert.deepEqual([worksOn(), worksOn('how to fix 2 issue(s)')], [['A', 'B'], []])
})

test('a list in an event is bounded, and counts what it leaves out', () => {
  const [completed] = WORK_CASES.flatMap(([event]) => (event.type === 'fix_batch_completed' ? [event.data] : []))
  assert.deepEqual([completed?.files.length, completed?.unlisted], [100, { files: 30 }])
})

test('an event says which issues and which step it is about', () => {
  const place = { session_id: 's', seq: 1, timestamp: 't', message: '' }
  const about = CASES.map(([event]) => SessionEvent.parse({ ...event, ...place })).map((event) => [
    event.type,
    listEventIssueCodes(event).join(),
    getEventStepId(event),
  ])
  const find = (type: string) => about.find(([name]) => name === type)?.slice(1)
  assert.deepEqual(find('fix_call_started'), ['A,B', 's1.fix'])
  assert.deepEqual(find('fix_issue_started'), ['A', undefined])
  assert.deepEqual(find('fix_session_joined'), ['', undefined])
})

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
  test(`there is an event ${name} [S2-24]`, () => assert.ok((EventType.options as readonly string[]).includes(name)))
}

test('what the flow needs besides has an event too, all names start with fix_ and none stands twice [C9]', () => {
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

test('a session ends with one of four events: completed, error, cancelled, out of credit [S2-24]', () => {
  assert.deepEqual([...TERMINAL_EVENTS].sort(), [
    'fix_billing_error',
    'fix_session_cancelled',
    'fix_session_completed',
    'fix_session_error',
  ])
})

test('an event carries type, time, session, issue, its 1-based place, the total, a message and a commit [S2-25]', () => {
  const event = {
    type: 'fix_issue_committed',
    timestamp: '2026-11-18T14:16:57.000Z',
    session_id: 's1',
    seq: 7,
    issue_id: 'i1',
    issue_code: 'FUNC-001',
    issue_index: 1,
    total_issues: 3,
    message: 'abc fix: it',
    commit_sha: 'abc',
    data: { codes: ['FUNC-001'], subject: 'fix: it' },
  }
  assert.deepEqual(SessionEvent.parse(event), event)
  for (const wrong of [{ issue_index: 0 }, { seq: 0 }, { type: 'fix_party' }, { seq: 1.5 }, { timestamp: undefined }]) {
    assert.ok(!SessionEvent.safeParse({ ...event, ...wrong }).success, JSON.stringify(wrong))
  }
})
