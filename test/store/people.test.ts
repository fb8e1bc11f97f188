// What people answered, allowed and said, as the store keeps it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KnownAnswer, MessageRecord } from '../../src/domain/session/store-records.ts'
import { insertSession, newSession } from '../support/store.ts'
import { temporaryStore } from './support.ts'

function answer(more: Partial<KnownAnswer> = {}): KnownAnswer {
  return {
    session_id: 's1',
    question_id: 'FUNC-001-q1',
    repository_id: '/repo',
    issue_code: 'FUNC-001',
    text_hash: 'text',
    question: 'Which regex?',
    answer: 'the strict one',
    answered_by: 'mara',
    answered_at: '2026-11-18T10:00:00.000Z',
    ...more,
  }
}

function said(key: string, more: Partial<MessageRecord> = {}): MessageRecord {
  const at = Date.UTC(2026, 10, 18, 10)
  return {
    key,
    name: 'answerClarification',
    outcome: 'taken',
    response: 'FUNC-001-q1',
    by: 'mara',
    from: 'cli',
    at,
    ...more,
  }
}

test('an answer is known again where the same issue comes back, and nowhere else [S2-2]', async (t) => {
  const store = await temporaryStore(t)
  await store.answers.add(answer())
  const issue = { issue_code: 'FUNC-001', text_hash: 'text' }
  assert.deepEqual(await store.answers.listForIssues('/repo', [issue, { issue_code: 'FUNC-002', text_hash: 'text' }]), [
    answer(),
  ])
  assert.deepEqual(await store.answers.listForIssues('/other', [issue]), [])
  assert.deepEqual(await store.answers.listForIssues('/repo', [{ ...issue, text_hash: 'another text' }]), [])
  assert.deepEqual(await store.answers.listForIssues('/repo', [{ ...issue, issue_code: 'FUNC-002' }]), [])
  assert.deepEqual(await store.answers.listForIssues('/repo', []), [])
})

test('of several answers to one question the latest holds, however the question was written [S2-4]', async (t) => {
  const store = await temporaryStore(t)
  const later = (session_id: string, hour: number) => ({ session_id, answered_at: `2026-11-18T${hour}:00:00.000Z` })
  await store.answers.add(answer({ ...later('s3', 13), question: ' which\n REGEX? ', answer: 'the third' }))
  await store.answers.add(answer({ ...later('s2', 12), answer: 'the second' }))
  await store.answers.add(answer({ ...later('s4', 11), question: 'And the flags?', answer: 'none' }))
  await store.answers.add(answer({ issue_code: 'FUNC-002', answer: 'of the other issue' }))
  const asked = ['FUNC-001', 'FUNC-002'].map((issue_code) => ({ issue_code, text_hash: 'text' }))
  assert.deepEqual(
    (await store.answers.listForIssues('/repo', asked)).map((each) => each.answer),
    ['of the other issue', 'none', 'the third'],
  )
})

test('an answer is kept once, also by an activity that runs twice', async (t) => {
  const store = await temporaryStore(t)
  await store.answers.add(answer())
  await store.answers.add(answer({ answer: 'something else' }))
  assert.deepEqual(await store.answers.listForIssues('/repo', [{ issue_code: 'FUNC-001', text_hash: 'text' }]), [
    answer(),
  ])
})

test('a path is allowed for the session or for the repository, as it was given, until it is taken back [S2-31]', async (t) => {
  const store = await temporaryStore(t)
  for (const id of ['s1', 's2']) await insertSession(store, newSession(id))
  const granted = { repository_id: '/repo', granted_by: 'mara', granted_at: '2026-11-18T10:00:00.000Z' }
  await store.grants.add({ ...granted, session_id: 's1', path: '.env' })
  await store.grants.add({ ...granted, session_id: 's1', path: 'docs/' })
  await store.grants.add({ ...granted, path: 'docs/' })
  await store.grants.add({ ...granted, path: 'docs/', granted_by: 'somebody later' })
  assert.deepEqual(await store.grants.listAllowedPaths('/repo', 's1'), ['.env', 'docs/'])
  assert.deepEqual(await store.grants.listAllowedPaths('/repo', 's2'), ['docs/'])
  assert.deepEqual(await store.grants.listAllowedPaths('/other', 's1'), [])
  assert.deepEqual(await store.grants.listForRepository('/repo'), [{ ...granted, path: 'docs/' }])

  assert.equal(await store.grants.remove('/repo', 'docs'), false)
  assert.equal(await store.grants.remove('/repo', 'docs/'), true)
  assert.equal(await store.grants.remove('/repo', 'docs/'), false)
  assert.deepEqual(await store.grants.listAllowedPaths('/repo', 's2'), [])
  assert.deepEqual(await store.grants.listAllowedPaths('/repo', 's1'), ['.env', 'docs/'])
})

test('what was said stands once, in the order in which it was said', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const [first, second, third] = [said('b'), said('a', { outcome: 'refused', response: 'no such question' }), said('c')]
  await store.messages.add('s1', [first, second])
  await store.messages.add('s1', [second, { ...first, response: 'something else' }, third])
  await store.messages.add('s1', [])
  assert.deepEqual(await store.messages.listForSession('s1'), [first, second, third])
  assert.deepEqual(await store.messages.listForSession('s2'), [])
})

test('what comes from outside is kept to a length, and never half a character', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  await store.messages.add('s1', [said('a', { response: '😀'.repeat(50_000), by: 'm'.repeat(300), from: '\uD800' })])
  const [kept] = await store.messages.listForSession('s1')
  assert.ok(kept && kept.response.length <= 2000 && kept.by.length === 200)
  assert.match(kept.response, /^(😀)+…$/u)
  assert.equal(kept.from, '\uFFFD')
})

test('a session shows what it asks and what it plans; when it ends it asks nothing any more', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const decision = {
    kind: 'scope' as const,
    request: 'scope-1',
    files: [{ path: '.env', why: 'protected', issue_codes: ['FUNC-001'] }],
  }
  const plan = {
    stages: [{ batches: [{ label: 'BE 1/1', steps: [['FUNC-001']] }] }],
    issues: {},
    remarks: ['corrected'],
  }
  await store.sessions.update('s1', { decision, plan })
  await store.sessions.update('s1', { status: 'generating' })
  const asking = await store.sessions.get('s1')
  assert.deepEqual([asking?.decision, asking?.plan], [decision, plan])
  await store.sessions.update('s1', { decision: null })
  assert.equal((await store.sessions.get('s1'))?.decision, undefined)
  await store.sessions.update('s1', { decision })
  await store.sessions.update('s1', { status: 'cancelled' })
  const ended = await store.sessions.get('s1')
  assert.deepEqual([ended?.decision, ended?.plan], [undefined, plan])
})

test('a session that was told something has started, and is not forgotten', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  await store.messages.add('s1', [said('a')])
  assert.equal(await store.sessions.discardUnstarted('s1'), false)
})
