// A store that an earlier version wrote is taken over with all that is in it.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { deriveSessionKey } from '../../src/domain/session/idempotency-key.ts'
import { computeIssueId } from '../../src/store/issues.ts'
import { openStore } from '../../src/store/open-store.ts'
import { newSession } from '../support/store.ts'
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

test('a store of version 6 names its repositories, whose sessions, issues, grants and answers keep their ids', async (t) => {
  const store = await openStore(storeOfVersion(t, 6))
  t.after(() => store.close())
  const known = await store.repositories.list()
  assert.deepEqual(
    known.map(({ name, path }) => [name, path]),
    [
      ['my-app', '/home/kim/my-app'],
      ['My-App-2', '/srv/other/My-App'],
      ['one-only', '/srv/one & only'],
    ],
  )
  const app = known[0]!
  const { repository_id } = app
  assert.equal(app.known_commit, '1'.repeat(40))
  const running = await store.sessions.list({ repository_id, running: true })
  assert.deepEqual(
    running.map(({ session_id, repository, repository_name, decision }) => [
      ...[session_id, repository, repository_name, decision?.request],
    ]),
    [['running-6', '/home/kim/my-app', 'my-app', 'plan-1']],
  )
  const issues = (await store.sessions.listIssues('running-6')).map(({ issue }) => issue)
  assert.deepEqual(
    issues.map(({ issue_code, status, repository }) => [issue_code, status, repository]),
    [
      ['B', 'in_progress', '/home/kim/my-app'],
      ['C', 'open', '/home/kim/my-app'],
    ],
  )
  // The same work still is the same session, and its issues are the same issues.
  const ids = issues.map(({ issue_id }) => issue_id)
  assert.deepEqual(
    issues.map(({ issue_code }) => computeIssueId(app.id_seed, 'task-6', issue_code)),
    ids,
  )
  assert.equal(deriveSessionKey(app.id_seed, 'task-6', ids), running[0]?.key)
  const joined = await store.createSession(
    newSession('again', { repository_id, repository: app.path, key: running[0]!.key, task_id: 'task-6' }),
    [],
  )
  assert.ok(joined.kind === 'same_work' && joined.session.session_id === 'running-6')

  assert.equal((await store.sessions.get('done-6'))?.result?.repository_id, repository_id)
  assert.deepEqual(await store.grants.listAllowedPaths(repository_id, 'running-6'), ['.env', 'docs/'])
  const [answer] = await store.answers.listForIssues(repository_id, [{ issue_code: 'B', text_hash: 'text' }])
  assert.equal(answer?.answer, 'both')
  const moved = await store.repositories.update(repository_id, { path: '/home/kim/moved' })
  assert.equal(moved.kind, 'changed')
  assert.equal((await store.sessions.get('running-6'))?.repository, '/home/kim/moved')
})
