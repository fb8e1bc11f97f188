// A start that names the session which was asked about before: it begins, or the answer says why it does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSession, endSession } from '../cli/support.ts'
import { serveDesk } from './support.ts'

test('a start is refused while the session works and when it has ended, and leaves its notes alone [S2-21]', async (t) => {
  const desk = await serveDesk(t)
  await addSession(desk, 'fx-1', ['A'])
  const issues = await desk.store.issues.list()
  const selection = {
    repository_id: issues[0]?.repository_id,
    issue_ids: issues.map(({ issue_id }) => issue_id),
    clarify_session_id: 'fx-1',
    user_notes: 'be quick',
  }
  const start = () => desk.ask('/api/fix/start', { method: 'POST', body: selection })
  const early = await start()
  assert.deepEqual([early.status, early.body.code], [409, 'message_refused'], early.text)
  assert.match(early.body.detail, /is not ready yet: ask \/api\/fix\/clarify again until ready_to_fix/)
  await endSession(desk, 'fx-1')
  const late = await start()
  assert.deepEqual([late.status, late.body.code], [409, 'session_ended'], late.text)
  assert.equal((await desk.store.sessions.get('fx-1'))?.user_notes, undefined)
})

test('a name with a control character is no name of git, and answered with its place', async (t) => {
  const desk = await serveDesk(t)
  for (const name of ['base', 'against', 'branch']) {
    const body = { repository_id: 'repo-1', issue_ids: ['iss-1'], [name]: 'main\u0000x' }
    const refused = await desk.ask('/api/fix/start', { method: 'POST', body })
    assert.deepEqual([refused.status, refused.body.errors?.[0].pointer], [400, `/${name}`], refused.text)
  }
  const path = '/api/repositories/repo-0123456789abcdef/imports'
  const refused = await desk.ask(path, { method: 'POST', body: { report: [], base: 'main\nx' } })
  assert.deepEqual([refused.status, refused.body.errors?.[0].pointer], [400, '/base'], refused.text)
})
