// A store that an earlier version wrote is taken over with all that is in it.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStore } from '../../src/store/open-store.ts'
import { storeOfVersion } from './support.ts'

test('a store of version 1 keeps its sessions, and they can ask and be answered', async (t) => {
  const store = await openStore(storeOfVersion(t, 1))
  t.after(() => store.close())
  const old = await store.sessions.get('old-1')
  assert.equal(old?.waiting?.reason, 'rate limit')
  assert.deepEqual([old?.decision, old?.plan, old?.kind], [undefined, undefined, 'fix'])
  assert.equal((await store.sessions.listIssues('old-1')).length, 2)
  assert.equal((await store.events.findLast('old-1'))?.message, 'started')

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

test('an event from before its data had a schema keeps its message, and a session its end', async (t) => {
  const file = storeOfVersion(t, 4)
  const database = new DatabaseSync(file)
  database.exec(`
    insert into events (session_id, seq, key, type, timestamp, message, data) values
      ('old-4', 1, 'a', 'fix_challenger_result', 't', '97 · solved', '{"score":97}'),
      ('old-4', 2, 'b', 'fix_session_cancelled', 't', 'cancelled · 0 fixed', null)`)
  database.close()
  const store = await openStore(file)
  t.after(() => store.close())
  const events = await store.events.listAll('old-4')
  assert.deepEqual(
    events.map(({ type, message }) => [type, message]),
    [
      ['fix_log', '97 · solved'],
      ['fix_session_cancelled', 'cancelled · 0 fixed'],
    ],
  )
  const { issues_fixed: fixed, cost_usd, status } = (await store.sessions.get('old-4')) ?? {}
  const { issues_failed: failed, issues_skipped: skipped } = (await store.sessions.get('old-4')) ?? {}
  assert.deepEqual(events[1]?.data, { status, fixed, failed, skipped, commits: [], cost_usd })
})
