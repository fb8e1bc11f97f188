import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FixSessionResult, FixStatus, type IssueFixResult } from '../../src/domain/session/session.ts'
import { logLine } from '../domain/session/events/made-events.ts'
import { insertIssues, insertSession, newSession } from '../support/store.ts'
import { finding, temporaryStore } from './support.ts'

test('a session or an issue has one of the named statuses, a session also partial and cancelled [S2-17]', () => {
  const named =
    'pending validating analyzing awaiting_clarification generating applying committing completed failed skipped'
  assert.deepEqual(FixStatus.options, [...named.split(' '), 'partial', 'cancelled'])
})

test('a session keeps its result, with the outcome of each issue in the order asked for [S2-20]', async (t) => {
  const store = await temporaryStore(t)
  const issues = await insertIssues(store, '/repo', 'task', [finding('B'), finding('A')])
  const ids = issues.map((issue) => issue.issue_id)
  await insertSession(store, newSession('s1', { issue_ids: ids, issues_requested: 2 }))

  const results: IssueFixResult[] = [
    {
      issue_id: ids[0]!,
      issue_code: 'B',
      status: 'completed',
      commit_sha: 'abc',
      commit_message: 'Fix B',
      changes_made: 'a check',
      fix_code: 'if x:',
      fix_explanation: 'why',
      fix_files_modified: ['src/B.py'],
      false_positive: false,
      fix_self_score: 95,
      fix_gemini_score: 97,
      quality_scores: { correctness: 97, safety: 97, minimality: 97, style_consistency: 97 },
      weighted_score: 97,
      iterations: 1,
      cost_usd: 0.1,
    },
    {
      issue_id: ids[1]!,
      issue_code: 'A',
      status: 'failed',
      error: 'score 60',
      fix_files_modified: [],
      false_positive: false,
      iterations: 2,
    },
  ]
  for (const outcome of results.toReversed()) await store.sessions.setIssueOutcome('s1', outcome)
  const result = FixSessionResult.parse({
    session_id: 's1',
    repository_id: '/repo',
    task_id: 'task',
    branch_name: 'fix/b',
    status: 'partial',
    issues_requested: 2,
    issues_fixed: 1,
    issues_failed: 1,
    issues_skipped: 0,
    results,
    commits: [{ sha: 'abc', message: 'Fix B', issue_codes: ['B'] }],
    cost_usd: 0.1,
    duration_ms: 1200,
    ending: { class: 'verdict', reason: '1 of 2 issues was not solved' },
  })
  await store.sessions.update('s1', { status: 'partial', result, issues_fixed: 1, issues_failed: 1, cost_usd: 0.1 })

  assert.deepEqual((await store.sessions.get('s1'))?.result, result)
  assert.deepEqual(
    (await store.sessions.listIssues('s1')).map(({ outcome }) => outcome),
    results,
  )
  await assert.rejects(
    store.sessions.setIssueOutcome('s1', { ...results[0]!, issue_id: 'iss-none' }),
    /was not asked to fix/,
  )
})

test('creating a session twice leaves one, and what has ended is not written again', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1', { user_notes: 'first' }))
  assert.equal((await store.createSession(newSession('s1', { user_notes: 'second' }), [])).kind, 'same_work')
  const since = '2026-11-18T10:00:00.000Z'
  assert.ok(await store.sessions.update('s1', { waiting: { kind: 'limit', reason: 'rate limit', since } }))
  assert.equal((await store.sessions.get('s1'))?.waiting?.reason, 'rate limit')
  assert.equal(await store.sessions.update('s1', { status: 'completed' }), true)
  assert.equal(await store.sessions.update('s1', { status: 'failed' }), false)
  const session = await store.sessions.get('s1')
  assert.equal(session?.user_notes, 'first')
  assert.equal(session?.status, 'completed')
  assert.equal(session?.waiting, undefined)
  assert.ok(session?.ended_at)
})

test('a session is found by the beginning of its id, when only one begins so', async (t) => {
  const store = await temporaryStore(t)
  for (const id of ['abc', 'abd', 'abcd', '%x']) await insertSession(store, newSession(id))
  const kinds = async (prefix: string) => {
    const found = await store.sessions.findByPrefix(prefix)
    return found.kind === 'one' ? found.session.session_id : found.kind === 'several' ? found.ids : found.kind
  }
  assert.equal(await kinds('abc'), 'abc')
  assert.equal(await kinds('abd'), 'abd')
  assert.deepEqual(await kinds('ab'), ['abc', 'abcd', 'abd'])
  assert.equal(await kinds('%'), '%x')
  assert.equal(await kinds('_'), 'none')
  assert.equal(await kinds(''), 'none')
})

test('sessions are listed newest first, by repository and by whether they run; the latest of a key is found', async (t) => {
  let minute = 0
  const store = await temporaryStore(t, { now: () => new Date(Date.UTC(2026, 10, 18, 10, minute++)) })
  await insertSession(store, newSession('s1', { key: 'k' }))
  await store.sessions.update('s1', { status: 'failed' })
  await insertSession(store, newSession('s2', { key: 'k' }))
  await insertSession(store, newSession('s3', { key: 'other', repository: '/two' }))
  const ids = async (filter: Parameters<typeof store.sessions.list>[0]) =>
    (await store.sessions.list(filter)).map((session) => session.session_id)
  assert.deepEqual(await ids({}), ['s3', 's2', 's1'])
  assert.deepEqual(await ids({ limit: 1 }), ['s3'])
  assert.deepEqual(await ids({ running: true }), ['s3', 's2'])
  assert.deepEqual(await ids({ running: false }), ['s1'])
  assert.deepEqual(await ids({ repository_id: '/two' }), ['s3'])
  assert.deepEqual(await ids({ key: 'k' }), ['s2', 's1'])
  assert.equal((await store.sessions.findLatestByKey('k'))?.session_id, 's2')
  assert.equal(await store.sessions.findLatestByKey('none'), undefined)
})

test('two living sessions of a repository never have the same branch, in whatever letters', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  await insertSession(store, newSession('s2'))
  await insertSession(store, newSession('s3', { repository: '/two' }))
  assert.equal(await store.sessions.reserveBranch('s1', '/repo', 'fix/x'), true)
  assert.equal(await store.sessions.reserveBranch('s1', '/repo', 'fix/x'), true)
  assert.equal(await store.sessions.reserveBranch('s2', '/repo', 'Fix/X'), false)
  assert.equal((await store.sessions.get('s2'))?.branch_name, undefined)
  assert.equal(await store.sessions.reserveBranch('s3', '/two', 'fix/x'), true)
  await store.sessions.update('s1', { status: 'partial' })
  assert.equal(await store.sessions.reserveBranch('s2', '/repo', 'Fix/X'), true)
})

test('only a session that never started is forgotten', async (t) => {
  const store = await temporaryStore(t)
  for (const id of ['new', 'run', 'told']) await insertSession(store, newSession(id))
  await store.sessions.update('run', { run_id: 'r' })
  await store.events.append('told', [logLine('a')])
  assert.deepEqual(
    [
      await store.sessions.discardUnstarted('new'),
      await store.sessions.discardUnstarted('run'),
      await store.sessions.discardUnstarted('told'),
    ],
    [true, false, false],
  )
  assert.deepEqual((await store.sessions.list()).map(({ session_id }) => session_id).sort(), ['run', 'told'])
})

test('a session is to be started until its run is known, and at work unless it has ended or waits for a person', async (t) => {
  const store = await temporaryStore(t)
  const isAnyAtWork = () => store.sessions.hasActiveSession()
  const listToStart = async () => (await store.sessions.listUnstarted()).map(({ session_id }) => session_id)
  assert.equal(await isAnyAtWork(), false)
  await insertSession(store, newSession('s1'))
  assert.deepEqual([await isAnyAtWork(), await listToStart()], [true, ['s1']])
  await store.sessions.update('s1', { run_id: 'r' })
  assert.deepEqual(await listToStart(), [])
  assert.equal(await isAnyAtWork(), true)
  await store.sessions.update('s1', { decision: { kind: 'plan', request: 'plan.p1' } })
  assert.equal(await isAnyAtWork(), false)
  await store.sessions.update('s1', { decision: null })
  assert.equal(await isAnyAtWork(), true)
  await store.sessions.update('s1', { status: 'completed' })
  assert.equal(await isAnyAtWork(), false)
})

test('sessions are of a kind, and are listed by it', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('one'))
  await insertSession(store, newSession('two', { kind: 'review' }))
  const kinds = async (kind?: 'fix' | 'review') =>
    (await store.sessions.list({ kind })).map((session) => `${session.session_id} ${session.kind}`)
  assert.deepEqual((await kinds()).sort(), ['one fix', 'two review'])
  assert.deepEqual(await kinds('review'), ['two review'])
})
