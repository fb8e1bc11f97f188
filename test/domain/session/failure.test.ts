// One table says what follows from each class of failure; these are the rules that it has to keep.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventType, TERMINAL_EVENTS } from '../../../src/domain/session/events/index.ts'
import { CONSEQUENCES, FailureClass, SESSION_EXITS } from '../../../src/domain/session/failure.ts'

test('every class of failure has its consequence, with words for a person [S2-33, S2-34]', () => {
  assert.deepEqual(Object.keys(CONSEQUENCES).sort(), [...FailureClass.options].sort())
  for (const { meaning } of Object.values(CONSEQUENCES)) assert.ok(meaning.length > 20)
})

test('only a verdict and a call without usable work fail the issue; the session goes on [S2-34]', () => {
  for (const name of FailureClass.options) {
    const { issue, session } = CONSEQUENCES[name]
    const charged = name === 'verdict' || name === 'no_usable_work'
    assert.equal(issue, charged ? 'failed' : 'open', name)
    if (charged) assert.equal(session, 'partial', name)
  }
})

test('out of credit has an event of its own, and no other failure has it [S2-33]', () => {
  const billed = FailureClass.options.filter((name) => CONSEQUENCES[name].event === 'fix_billing_error')
  assert.deepEqual(billed, ['billing'])
  assert.equal(CONSEQUENCES.billing.issue, 'open')
})

test('every way to end is told by an event that ends a session [S2-24]', () => {
  for (const [name, { event }] of Object.entries(CONSEQUENCES)) {
    assert.ok(TERMINAL_EVENTS.has(event), name)
    assert.ok(EventType.options.includes(event), name)
  }
})

test('the exit status follows from how the session ends: 1 some not resolved, 3 it could not go on, 130 cancelled', () => {
  assert.deepEqual(SESSION_EXITS, { partial: 1, failed: 3, cancelled: 130 })
  for (const name of FailureClass.options) {
    const { session, event } = CONSEQUENCES[name]
    assert.equal(event === 'fix_session_completed', session === 'partial', name)
    assert.equal(event === 'fix_session_cancelled', session === 'cancelled', name)
  }
})
