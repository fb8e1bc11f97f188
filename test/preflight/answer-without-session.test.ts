import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { buildSkippedResult, findReusableResult } from '../../src/preflight/answer-without-session.ts'
import { temporaryStore } from '../store/support.ts'
import { insertSession, newSession } from '../support/store.ts'

const MINUTE = 60_000
const RESULT = buildSkippedResult(newSession('s1'), [], 'it did nothing')

/** A session of this work that ended so long ago. */
async function endedAgo(t: TestContext, milliseconds: number, status: 'completed' | 'partial' = 'completed') {
  const endedAt = Date.now() - milliseconds
  const store = await temporaryStore(t, { now: () => new Date(endedAt) })
  const session = await insertSession(store, newSession('s1'))
  await store.sessions.update('s1', { status, result: RESULT })
  return { store, session }
}

test('a fully successful result answers the same work for one hour, and no longer [S2-32]', async (t) => {
  const recent = await endedAgo(t, 59 * MINUTE)
  assert.equal((await findReusableResult(recent.store, recent.session))?.session_id, 's1')
  const old = await endedAgo(t, 61 * MINUTE)
  assert.equal(await findReusableResult(old.store, old.session), undefined)
})

test('a partial result, or one of other options, answers nothing, however recent [S2-32]', async (t) => {
  const partial = await endedAgo(t, MINUTE, 'partial')
  assert.equal(await findReusableResult(partial.store, partial.session), undefined)
  const { store, session } = await endedAgo(t, MINUTE)
  assert.equal(await findReusableResult(store, { ...session, user_notes: 'another way' }), undefined)
})
