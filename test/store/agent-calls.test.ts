import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertSession, newSession } from '../support/store.ts'
import { temporaryStore } from './support.ts'

const CALL = { session_id: 's1', key: 'stage 1 batch 1 fix 1', role: 'fixer', codes: [] }

test('a call that was finished is answered from the record instead of being made again', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const first = await store.agentCalls.claim({ ...CALL, marker: 'm1' })
  assert.ok(first.kind === 'claimed' && first.lost.length === 0)
  assert.equal(first.call.attempt, 1)
  assert.ok(await store.agentCalls.updateRunning(first.call, { cli_session_id: 'cli-1' }))
  const report = {
    cost_usd: 0.2,
    tokens: { input: 10, output: 3 },
    duration_ms: 900,
    reply_ref: 'sha256:x',
    result: { ok: 1 },
  }
  assert.equal(await store.agentCalls.finish(first.call, report), true)
  assert.equal(await store.agentCalls.finish(first.call, { result: 'late' }), false)

  const again = await store.agentCalls.claim(CALL)
  assert.equal(again.kind, 'finished')
  assert.deepEqual(again.call, { ...again.call, ...report, state: 'finished', cli_session_id: 'cli-1' })
  assert.deepEqual(await store.agentCalls.findLatest('s1', CALL.key), again.call)
})

test('an attempt that was lost is named to its successor and can no longer report', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const lost = await store.agentCalls.claim({ ...CALL, marker: 'm1' })
  const successor = await store.agentCalls.claim({ ...CALL, marker: 'm2' })
  assert.ok(successor.kind === 'claimed')
  const third = await store.agentCalls.claim({ ...CALL, marker: 'm3' })
  assert.ok(third.kind === 'claimed')
  assert.deepEqual(
    third.lost.map((call) => call.marker),
    ['m1', 'm2'],
  )
  assert.equal(await store.agentCalls.updateRunning(lost.call, { model: 'opus' }), false)
  assert.equal(await store.agentCalls.finish(lost.call, { result: 'too late' }), false)
  assert.equal(await store.agentCalls.finish(successor.call, { result: 'too late' }), false)
  assert.equal(await store.agentCalls.finish(third.call, { result: 'text' }), true)
  assert.deepEqual(
    (await store.agentCalls.listForSession('s1')).map(({ attempt, state, result }) => ({ attempt, state, result })),
    [
      { attempt: 1, state: 'lost', result: undefined },
      { attempt: 2, state: 'lost', result: undefined },
      { attempt: 3, state: 'finished', result: 'text' },
    ],
  )
})

test('what was under way when its session ended can no longer report, and keeps what it had noted', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const claim = await store.agentCalls.claim(CALL)
  assert.ok(claim.kind === 'claimed')
  await store.agentCalls.updateRunning(claim.call, { cost_usd: 0.3 })
  await store.agentCalls.abandon('s1')
  assert.equal(await store.agentCalls.finish(claim.call, { result: 'late' }), false)
  const [call] = await store.agentCalls.listForSession('s1')
  assert.deepEqual([call?.state, call?.cost_usd], ['lost', 0.3])
})

test('what was lost may have cost more than it had noted, unless it could still say itself how it failed', async (t) => {
  const store = await temporaryStore(t)
  await insertSession(store, newSession('s1'))
  const told = await store.agentCalls.claim(CALL)
  await store.agentCalls.updateRunning(told.call, {
    cost_usd: 0.3,
    tokens: { input: 10, output: 3 },
    result: { kind: 'failed' },
  })
  const silent = await store.agentCalls.claim(CALL)
  assert.deepEqual(
    await store.agentCalls.sumSpending('s1'),
    { cost_usd: 0.3, tokens: 13 },
    'all that the first one cost is known',
  )
  await store.agentCalls.updateRunning(silent.call, { cost_usd: 0.2, tokens: { input: 7, output: 0 } })
  await store.agentCalls.abandon('s1')
  assert.deepEqual(await store.agentCalls.sumSpending('s1'), { cost_usd: 0.5, cost_partial: true, tokens: 20 })
  assert.deepEqual(
    (await store.agentCalls.listSpending('s1')).map(({ key }) => key),
    [CALL.key, CALL.key],
    'what is set aside for a call is told from what others have spent by its key',
  )
  const calls = await store.agentCalls.listForSession('s1')
  assert.deepEqual(
    calls.map(({ cost_partial }) => cost_partial),
    [undefined, true],
  )
})
