import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewSession } from '../../../src/store/sessions.ts'
import { insertSession } from '../../support/store.ts'
import { type Bench, setBench } from '../support.ts'

/** A session that was asked for with a branch of this name, as `fix` puts it down. */
async function asked(bench: Bench, id: string, more: Partial<NewSession>): Promise<void> {
  await bench.session(id, { A: 'src/app.py' })
  const { started_at: _, updated_at: __, ...record } = (await bench.store.sessions.get(id))!
  const issue_ids = (await bench.store.sessions.listIssues(id)).map(({ issue }) => issue.issue_id)
  await insertSession(bench.store, { ...record, ...more, session_id: `${id}-asked`, key: id, issue_ids })
}

test('a session gets the branch that was asked for, also one of a person with commits on it', async (t) => {
  const bench = await setBench(t)
  bench.git(['branch', 'theirs'])
  await asked(bench, 's1', { branch_name: 'topic/new', options: { branch_asked: 'topic/new' } })
  await asked(bench, 's2', { branch_name: 'theirs', options: { branch_asked: 'theirs', use_existing_branch: true } })
  assert.equal((await bench.run('openSession', { sessionId: 's1-asked' })).branch, 'topic/new')
  assert.equal((await bench.run('openSession', { sessionId: 's2-asked' })).branch, 'theirs')
})

test('a name that somebody took for a branch of their own meanwhile is not committed onto [S2-37]', async (t) => {
  const bench = await setBench(t)
  const options = { branch_asked: 'topic/new' }
  await asked(bench, 's1', { branch_name: 'topic/new', options })
  bench.git(['checkout', '-q', '-b', 'topic/new'])
  bench.git(['commit', '-q', '--allow-empty', '-m', 'theirs'])
  bench.git(['checkout', '-q', 'main'])
  const opening = bench.run('openSession', { sessionId: 's1-asked' })
  await assert.rejects(opening, {
    nonRetryable: true,
    message: /somebody made a branch topic\/new meanwhile: give --use-existing-branch/,
  })
})

test("what an earlier session of the same work did on a person's branch gives a later one no leave to go on there", async (t) => {
  const bench = await setBench(t)
  bench.git(['branch', 'theirs'])
  const options = { branch_asked: 'theirs', use_existing_branch: true }
  await asked(bench, 's1', { branch_name: 'theirs', options })
  await bench.store.sessions.update('s1-asked', { status: 'partial' })
  await asked(bench, 's2', {})
  const record = (await bench.store.sessions.get('s2-asked'))!
  const issue_ids = (await bench.store.sessions.listIssues('s2-asked')).map(({ issue }) => issue.issue_id)
  await insertSession(bench.store, { ...record, session_id: 's3', key: 's1', issue_ids })
  assert.equal((await bench.run('openSession', { sessionId: 's3' })).branch, 'fix/one-title')
})
