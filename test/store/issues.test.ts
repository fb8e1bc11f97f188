import assert from 'node:assert/strict'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { computeIssueId } from '../../src/store/issues.ts'
import { openStore } from '../../src/store/open-store.ts'
import { insertIssues, insertSession, newSession } from '../support/store.ts'
import { finding, temporaryFolder, temporaryStore } from './support.ts'

test('an issue that comes back keeps its id and its status, and gets its new text', async (t) => {
  const store = await temporaryStore(t)
  const [first] = await insertIssues(store, '/repo', 'task', [finding('F001', { suggested_fix: 'do this', line: '3' })])
  await store.issues.changeStatus({ issue_id: first!.issue_id, to: 'ignored', mover: 'person', note: 'not a bug' })
  const [again] = await insertIssues(store, '/repo', 'task', [finding('F001', { title: 'Other words', line: '4-5' })])
  assert.equal(again!.issue_id, computeIssueId('/repo', 'task', 'F001'))
  assert.equal(again!.status, 'ignored')
  assert.equal(again!.title, 'Other words')
  assert.equal(again!.line, '4-5')
  assert.equal(again!.suggested_fix, undefined)
  assert.equal(again!.resolution_note, 'not a bug')
  assert.equal(again!.created_at, first!.created_at)
  const [other] = await insertIssues(store, '/repo', 'another review', [finding('F001')])
  assert.notEqual(other!.issue_id, first!.issue_id)
})

test('a change without a status keeps the one that the issue has when it is written', async (t) => {
  const store = await temporaryStore(t)
  const [issue] = await insertIssues(store, '/repo', 'task', [finding('A')])
  const move = { issue_id: issue!.issue_id, mover: 'person' } as const
  await store.issues.changeStatus({ ...move, to: 'ignored', note: 'no' })
  const noted = await store.issues.changeStatus({ ...move, note: 'not now' })
  assert.ok(noted.kind === 'moved')
  assert.deepEqual([noted.issue.status, noted.issue.resolution_note], ['ignored', 'not now'])
})

test('issues are taken in all or not at all, in the order given', async (t) => {
  const store = await temporaryStore(t)
  await assert.rejects(insertIssues(store, '/repo', 'task', [finding('A'), finding('not a code')]))
  assert.deepEqual(await store.issues.list(), [])
  const records = await insertIssues(store, '/repo', 'task', [finding('B'), finding('A'), finding('C')])
  assert.deepEqual(
    records.map((record) => record.issue_code),
    ['B', 'A', 'C'],
  )
})

test('an issue keeps its fix: code, explanation, files, commit and branch [S2-30]', async (t) => {
  const store = await temporaryStore(t)
  const [issue] = await insertIssues(store, '/repo', 'task', [finding('F001')])
  const fix = {
    fix_code: 'x'.repeat(500),
    fix_explanation: 'Checks for null before the call',
    fix_files_modified: ['src/a.py', 'src/b.py'],
    fix_commit_sha: 'abc123',
    fix_branch: 'fix/null-check',
    fix_self_score: 91,
    fix_gemini_score: 97.5,
  }
  await store.issues.changeStatus({ issue_id: issue!.issue_id, to: 'in_progress', mover: 'session' })
  const outcome = await store.issues.changeStatus({ issue_id: issue!.issue_id, to: 'resolved', mover: 'session', fix })
  assert.equal(outcome.kind, 'moved')
  const kept = await store.issues.get(issue!.issue_id)
  assert.deepEqual(kept, { ...kept, ...fix, status: 'resolved' })
  await assert.rejects(
    store.issues.changeStatus({
      issue_id: issue!.issue_id,
      to: 'resolved',
      mover: 'session',
      fix: { fix_code: 'x'.repeat(501) },
    }),
    /500/,
  )
})

test('an issue goes from open over in_progress to resolved, and to merged when its pull request is [S0-16]', async (t) => {
  const store = await temporaryStore(t)
  const [issue] = await insertIssues(store, '/repo', 'task', [finding('F001')])
  const id = issue!.issue_id
  assert.equal(issue!.status, 'open')
  for (const [to, mover] of [
    ['in_progress', 'session'],
    ['failed', 'session'],
    ['in_progress', 'session'],
    ['resolved', 'session'],
    ['merged', 'merge'],
  ] as const) {
    const outcome = await store.issues.changeStatus({ issue_id: id, to, mover })
    assert.ok(outcome.kind === 'moved' && outcome.issue.status === to, to)
  }
  const refused = await store.issues.changeStatus({ issue_id: id, to: 'open', mover: 'person' })
  assert.ok(refused.kind === 'refused' && /can no longer change/.test(refused.problem))
})

test('a person sets an issue to ignored or duplicate; what may not follow is refused with what may [S0-17]', async (t) => {
  const store = await temporaryStore(t)
  const [one, other] = await insertIssues(store, '/repo', 'task', [finding('F001'), finding('F002')])
  for (const [issue, to] of [
    [one, 'ignored'],
    [other, 'duplicate'],
  ] as const) {
    const outcome = await store.issues.changeStatus({ issue_id: issue!.issue_id, to, mover: 'person' })
    assert.ok(outcome.kind === 'moved' && outcome.issue.status === to)
  }
  const refused = await store.issues.changeStatus({
    issue_id: one!.issue_id,
    to: 'resolved',
    mover: 'person',
    note: 'done',
  })
  assert.ok(refused.kind === 'refused' && /it may become open/.test(refused.problem))
  assert.equal((await store.issues.get(one!.issue_id))?.status, 'ignored')
})

test('a status that changed in between, a session at work and an unknown issue refuse a move', async (t) => {
  const store = await temporaryStore(t)
  const [issue] = await insertIssues(store, '/repo', 'task', [finding('F001')])
  const issue_id = issue!.issue_id
  await insertSession(store, newSession('s1', { issue_ids: [issue_id] }))
  await store.issues.changeStatus({ issue_id, to: 'in_progress', mover: 'session', session_id: 's1' })

  const late = await store.issues.changeStatus({
    issue_id,
    from: 'open',
    to: 'ignored',
    mover: 'session',
    session_id: 's1',
  })
  assert.ok(late.kind === 'refused' && /expected to be open and is in_progress/.test(late.problem))
  const held = await store.issues.changeStatus({ issue_id, to: 'in_progress', mover: 'session', session_id: 's2' })
  assert.ok(held.kind === 'refused' && /session s1 is working on F001/.test(held.problem))
  const unknown = await store.issues.changeStatus({ issue_id: 'iss-none', to: 'ignored', mover: 'person' })
  assert.ok(unknown.kind === 'refused' && /no issue iss-none/.test(unknown.problem))

  await store.sessions.update('s1', { status: 'cancelled' })
  const taken = await store.issues.changeStatus({ issue_id, to: 'in_progress', mover: 'session', session_id: 's2' })
  assert.ok(taken.kind === 'moved' && taken.issue.session_id === 's2')
})

test('a list is narrowed by repository, task, status and code', async (t) => {
  const store = await temporaryStore(t)
  const [a] = await insertIssues(store, '/one', 'task', [finding('A'), finding('B')])
  await insertIssues(store, '/two', 'task', [finding('A')])
  await store.issues.changeStatus({ issue_id: a!.issue_id, to: 'ignored', mover: 'person' })
  const codes = async (filter: Parameters<typeof store.issues.list>[0]) =>
    (await store.issues.list(filter)).map((issue) => `${issue.repository} ${issue.issue_code}`).sort()
  assert.deepEqual(await codes({ repository_id: '/one' }), ['/one A', '/one B'])
  assert.deepEqual(await codes({ status: 'ignored' }), ['/one A'])
  assert.deepEqual(await codes({ issue_code: 'A', status: 'open' }), ['/two A'])
  assert.deepEqual(await codes({ task_id: 'other' }), [])
})

test('related issues are those of the same file and of the same category that could be fixed now, nearest first [S2-35]', async (t) => {
  const store = await temporaryStore(t)
  const issues = await insertIssues(store, '/repo', 'task', [
    finding('A', { file: 'src/a.py', line: '40', category: 'security' }),
    finding('FAR', { file: 'src/a.py', line: '90-95' }),
    finding('NEAR', { file: 'src/a.py', line: '38' }),
    finding('ELSEWHERE', { file: 'web/x.ts', category: 'security' }),
    finding('BESIDE', { file: 'src/b.py', category: ' Security ' }),
    finding('DONE', { file: 'src/a.py', line: '40' }),
    finding('STRANGE', { file: 'src/b.py', category: 'style' }),
    finding('PLAIN', { file: 'src/c.py' }),
  ])
  await insertIssues(store, '/repo', 'older review', [finding('B', { file: 'src/a.py' })])
  await insertIssues(store, '/other', 'task', [finding('C', { file: 'src/a.py' })])
  const done = issues.find(({ issue_code }) => issue_code === 'DONE')
  await store.issues.changeStatus({ issue_id: done!.issue_id, to: 'ignored', mover: 'person' })
  const codes = async (...wanted: Parameters<typeof store.issues.findRelated>) =>
    (await store.issues.findRelated(...wanted)).map(({ issue_code }) => issue_code)
  assert.deepEqual(await codes('/repo', 'A'), ['NEAR', 'FAR', 'BESIDE', 'ELSEWHERE'])
  assert.deepEqual(await codes('/repo', 'PLAIN', 'task'), [])
  assert.deepEqual(await codes('/repo', 'A', 'older review'), [])
  assert.deepEqual(await codes('/repo', 'NONE'), [])
})

test('a code that several reviews know means that of the newest [S2-35]', async (t) => {
  let minute = 0
  const store = await temporaryStore(t, { now: () => new Date(Date.UTC(2026, 10, 18, 10, minute++)) })
  await insertIssues(store, '/repo', 'old', [finding('A', { file: 'x.py' }), finding('B', { file: 'x.py' })])
  await insertIssues(store, '/repo', 'new', [finding('A', { file: 'y.py' }), finding('C', { file: 'y.py' })])
  const [related] = await store.issues.findRelated('/repo', 'A')
  assert.deepEqual([related?.issue_code, related?.task_id], ['C', 'new'])
  assert.equal((await store.issues.findRelated('/repo', 'A', 'old'))[0]?.issue_code, 'B')
})

test('a page of issues is filtered and sorted within an index, also where few of very many pass', async (t) => {
  const file = path.join(temporaryFolder(t), 'store.db')
  const store = await openStore(file)
  t.after(() => store.close())
  const database = new DatabaseSync(file)
  t.after(() => database.close())
  const asked = t.mock.method(DatabaseSync.prototype, 'prepare')
  for (const [filter, index, within] of [
    [{}, 'issues_by_change', []],
    [{ status: 'merged' }, 'issues_by_status', ['status=?']],
    [{ severities: ['critical', 'high'] }, 'issues_by_change', []],
    [{ status: 'open', severities: ['critical'] }, 'issues_by_status', ['status=?']],
    [{ task_id: 'task' }, 'issues_by_task', ['task_id=?']],
  ] as const) {
    asked.mock.resetCalls()
    await store.issues.listPage({ repository_id: 'repo-1', limit: 51, ...filter })
    const sql = `${asked.mock.calls[0]?.arguments[0]}`
    const plan = database.prepare(`explain query plan ${sql}`).all()
    const steps = plan.map(({ detail }) => `${detail}`).join('\n')
    assert.match(steps, new RegExp(`issues USING INDEX ${index} \\(repository_id=\\?`), JSON.stringify(filter))
    for (const term of within) assert.ok(steps.includes(term), steps)
    assert.doesNotMatch(steps, /TEMP B-TREE/, 'the order is that of the index')
    const columns = database.prepare(`select name from pragma_index_info('${index}')`).all()
    const names = columns.map(({ name }) => `${name}`)
    for (const name of ['status', 'severity', 'task_id']) assert.ok(names.includes(name), `${index} knows the ${name}`)
  }
})
