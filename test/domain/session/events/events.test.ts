import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  describeEvent,
  EventType,
  getEventStepId,
  LogCode,
  listEventIssueCodes,
  SessionEvent,
  TERMINAL_EVENTS,
  withSessionTotal,
} from '../../../../src/domain/session/events/index.ts'
import { GATE_CASES, PEOPLE_CASES, SESSION_CASES, WORK_CASES } from './support.ts'

const CASES = [...SESSION_CASES, ...PEOPLE_CASES, ...WORK_CASES, ...GATE_CASES]

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
  assert.deepEqual([...codes].sort(), LogCode.options.toSorted())
})

test('the total of a session joins the facts of an event', () => {
  const total = { cost_usd: 1, tokens: 2 }
  for (const [event] of CASES) {
    assert.deepEqual(withSessionTotal(event, total), { ...event, data: { ...event.data, total } })
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
