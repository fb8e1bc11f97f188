import assert from 'node:assert/strict'
import { test } from 'node:test'
import { computeIssueId } from '../../src/store/issues.ts'
import type { NewSession } from '../../src/store/sessions.ts'
import { newSession } from '../support/store.ts'
import { finding, temporaryStore } from './support.ts'

const FINDINGS = [finding('A', { title: 'One' }), finding('B')]
const IDS = FINDINGS.map(({ issue_code }) => computeIssueId('/repo', 'task', issue_code))

function asked(id: string, more: Partial<NewSession> = {}): NewSession {
  return newSession(id, { repository: '/repo', task_id: 'task', key: 'the key', issue_ids: IDS, ...more })
}

test('of fifty starts of the same work one begins, and the others leave nothing behind: no session, no words of theirs [S2-32]', async (t) => {
  const store = await temporaryStore(t)
  const began = await Promise.all(
    Array.from({ length: 50 }, (_, nth) =>
      store.createSession(asked(`s${nth}`), [finding('A', { title: `As the start ${nth} has it` }), finding('B')]),
    ),
  )
  const [first, ...more] = began.filter((each) => each.kind === 'begun')
  assert.ok(first && more.length === 0)
  const winner = first.session.session_id
  for (const each of began) {
    assert.ok(each.kind === 'begun' || each.kind === 'same_work')
    assert.equal(each.session.session_id, winner)
  }
  assert.equal((await store.sessions.list()).length, 1)
  assert.equal((await store.issues.get(IDS[0]!))?.title, `As the start ${winner.slice(1)} has it`)
})

test('work whose session has ended, however it ended, begins anew, with the words that its issues have now [S2-32]', async (t) => {
  const store = await temporaryStore(t)
  for (const [nth, status] of (['completed', 'partial', 'failed', 'cancelled', 'skipped'] as const).entries()) {
    const begun = await store.createSession(asked(`s${nth}`), [finding('A', { title: `Words ${nth}` }), finding('B')])
    assert.equal(begun.kind, 'begun', status)
    assert.equal((await store.issues.get(IDS[0]!))?.title, `Words ${nth}`)
    await store.sessions.update(`s${nth}`, { status })
  }
})

test('work whose session ended since it was looked at is not begun: the end may be the answer', async (t) => {
  const store = await temporaryStore(t)
  const before = new Date(Date.now() - 1)
  await store.createSession(asked('s1'), FINDINGS)
  await store.sessions.update('s1', { status: 'completed' })
  const outdated = await store.createSession(asked('s2'), FINDINGS, before)
  assert.ok(outdated.kind === 'outdated' && outdated.session.session_id === 's1')
  assert.equal(await store.sessions.get('s2'), undefined)
  const after = new Date(Date.now() + 1)
  assert.equal((await store.createSession(asked('s3'), FINDINGS, after)).kind, 'begun')
})

test('of two works on one branch the second is told whose it is', async (t) => {
  const store = await temporaryStore(t)
  await store.createSession(asked('s1', { branch_name: 'fix/Mine' }), FINDINGS)
  const other = { key: 'another', branch_name: 'fix/mine' }
  const second = await store.createSession(asked('s2', other), FINDINGS)
  assert.ok(second.kind === 'same_branch' && second.session.session_id === 's1')
  assert.equal(
    (await store.createSession(asked('s3', { ...other, key: 'elsewhere', repository: '/other' }), FINDINGS)).kind,
    'begun',
  )
  await store.sessions.update('s1', { status: 'completed' })
  assert.equal((await store.createSession(asked('s4', other), FINDINGS)).kind, 'begun')
})

test('the words of an issue that a living session works on stay as they are', async (t) => {
  const store = await temporaryStore(t)
  await store.createSession(asked('s1'), FINDINGS)
  await store.issues.changeStatus({ issue_id: IDS[0]!, to: 'in_progress', mover: 'session', session_id: 's1' })
  const changed = [finding('A', { title: 'Other' }), finding('B', { title: 'Other' })]
  assert.equal((await store.createSession(asked('s2', { key: 'another' }), changed)).kind, 'begun')
  const titles = await Promise.all(IDS.map(async (id) => (await store.issues.get(id))?.title))
  assert.deepEqual(titles, ['One', 'Other'])
})
