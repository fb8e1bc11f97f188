// A store that an earlier version wrote is taken over with all that is in it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../src/store/open-store.ts'
import { storeOfVersion } from './support.ts'

test('a store of version 1 keeps its sessions, and they can ask and be answered', async (t) => {
  const store = await openStore(storeOfVersion(t, 1))
  t.after(() => store.close())
  const old = await store.sessions.get('old-1')
  assert.equal(old?.waiting?.reason, 'rate limit')
  assert.deepEqual([old?.decision, old?.plan], [undefined, undefined])
  assert.equal((await store.sessions.listIssues('old-1')).length, 2)
  assert.equal((await store.events.findLast('old-1'))?.type, 'fix_session_started')

  await store.sessions.update('old-1', { decision: { kind: 'plan', request: 'plan-1' } })
  assert.equal((await store.sessions.get('old-1'))?.decision?.request, 'plan-1')
  await store.messages.add('old-1', [
    { key: 'a', name: 'cancel', outcome: 'taken', response: '', by: 'm', from: 'cli', at: 1 },
  ])
  assert.equal((await store.messages.listForSession('old-1')).length, 1)
})

test('a store of version 4 keeps what was said to its sessions and its agent calls', async (t) => {
  const store = await openStore(storeOfVersion(t, 4))
  t.after(() => store.close())
  const [said] = await store.messages.listForSession('old-4')
  assert.deepEqual([said?.outcome, said?.response, said?.answered_question_ids], ['taken', 'yes', ['A-q1']])
  const [call] = await store.agentCalls.listForSession('old-4')
  assert.deepEqual([call?.state, call?.cost_usd, call?.cost_partial], ['finished', 0.25, true])
})
