// What calls of several lanes may spend of one session's budget, while others are under way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  computeCallLimits,
  explainBudgetFailure,
  releaseReserved,
} from '../../../src/activities/agent-call/enforce-budget.ts'
import type { Heartbeat, Session } from '../../../src/activities/context.ts'
import type { MeteredCall } from '../../../src/domain/budget/spending.ts'
import type { CallFailure } from '../../../src/domain/session/failure.ts'
import { DEFAULTS } from '../support.ts'

function setBudget() {
  const calls: MeteredCall[] = []
  let meanwhile = (): void => undefined
  const listSpending = async () => {
    const read = [...calls]
    meanwhile()
    meanwhile = () => undefined
    return read
  }
  const store = { agentCalls: { listSpending } } as never
  const budgets = { ...DEFAULTS.budgets, session_usd: 8, session_tokens: 8_000 }
  const session = { id: 'fx-lanes', settings: { ...DEFAULTS, budgets } } as unknown as Session
  const heartbeat = { signal: new AbortController().signal, lanes: 2, reportProgress: () => undefined } as Heartbeat
  const limit = async (key: string, more: Partial<Heartbeat> = {}) =>
    await computeCallLimits({ store }, session, { key, codes: ['A'] }, { ...heartbeat, ...more })
  const ask = async (key: string) => {
    const allowed = await limit(key)
    assert.ok('limits' in allowed)
    return [allowed.limits.maxBudgetUsd, allowed.limits.maxTokens]
  }
  const explain = (failure: CallFailure, key = 'one') =>
    explainBudgetFailure({ store }, session, { key, codes: ['A'], isWork: true }, failure, heartbeat)
  const whileReading = (work: () => void) => {
    meanwhile = work
  }
  const release = (key: string) => releaseReserved({ store }, session.id, key)
  return { calls, limit, ask, explain, release, whileReading }
}

test('a call of one lane gets none of what a running call of another may still spend', async () => {
  const { calls, ask, release } = setBudget()
  assert.deepEqual(await Promise.all([ask('one'), ask('two')]), [
    [4, 4_000],
    [4, 4_000],
  ])
  calls.push({ key: 'one', state: 'finished', codes: ['A'], cost_usd: 1, tokens: { input: 1_000, output: 0 } })
  release('one')
  // 8 less 1 that is spent and 4 that are set aside.
  assert.deepEqual(await ask('three'), [3, 3_000])
})

test('what a running call has told counts once, and a call that is made again has no claim on itself', async () => {
  const { calls, ask } = setBudget()
  assert.deepEqual(await ask('one'), [4, 4_000])
  calls.push({ key: 'one', state: 'started', codes: ['A'], cost_usd: 3, tokens: { input: 3_000, output: 0 } })
  assert.deepEqual(await ask('two'), [4, 4_000])
  assert.deepEqual(await ask('one'), [1, 1_000])
})

test('a call that ends at the share of its lane is at no limit of the session until the sum is', async () => {
  const { calls, explain } = setBudget()
  const cut = { class: 'budget', detail: 'Reached maximum budget ($4)' } as const
  calls.push({ key: 'one', state: 'started', codes: ['A'], cost_usd: 4.1, tokens: { input: 3_000, output: 0 } })
  assert.deepEqual(await explain(cut), { ...cut, isLaneShare: true })
  assert.deepEqual(await explain(cut, 'two'), { ...cut, limit: 'issue_usd' }, 'it would be made again for ever')
  calls.push({ key: 'two', state: 'finished', codes: ['A'], cost_usd: 4, tokens: { input: 3_000, output: 0 } })
  const over = await explain(cut)
  assert.deepEqual([over.class === 'budget' && over.limit, 'isLaneShare' in over], ['session_usd', false])
})

test('a call that is made again gets all that is free, and a call for which nothing is free waits until another has ended', async () => {
  const { calls, ask, release } = setBudget()
  assert.deepEqual(await ask('s1.i1.b1.fix'), [4, 4_000])
  calls.push({ key: 's1.i1.b1.fix', state: 'finished', codes: ['A'], cost_usd: 4, tokens: { input: 4_000, output: 0 } })
  release('s1.i1.b1.fix')
  assert.deepEqual(await ask('s1.i1.b1.fix.w2'), [4, 4_000])
  let isAllowed = false
  const waiting = ask('s2.i1.b1.fix').finally(() => {
    isAllowed = true
  })
  await setImmediate()
  assert.equal(isAllowed, false)
  calls.push({ key: 's1.i1.b1.fix.w2', state: 'finished', codes: ['A'], cost_usd: 1, tokens: { input: 0, output: 0 } })
  release('s1.i1.b1.fix.w2')
  assert.deepEqual(await waiting, [1.5, 2_000])
})

test('a call that has waited for another gets the time that the session has left then', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 })
  const { limit, ask, release } = setBudget()
  await ask('s1.i1.b1.fix.w2')
  const [first, second] = [limit('s2.i1.b1.fix', { endsAt: 60_000 }), limit('s3.i1.b1.fix', { endsAt: 20_000 })]
  await setImmediate()
  t.mock.timers.setTime(50_000)
  release('s1.i1.b1.fix.w2')
  const allowed = await first
  assert.equal('limits' in allowed && allowed.limits.leftMs, 10_000)
  const over = await second
  assert.equal('reached' in over && over.reached.limit, 'session_seconds')
})

test('what a call left that ended while the spending was read is free at once', async () => {
  const { calls, ask, release, whileReading } = setBudget()
  await ask('s1.i1.b1.fix')
  await ask('s2.i1.b1.fix')
  whileReading(() => {
    calls.push({
      key: 's1.i1.b1.fix',
      state: 'finished',
      codes: ['A'],
      cost_usd: 1,
      tokens: { input: 1_000, output: 0 },
    })
    release('s1.i1.b1.fix')
  })
  assert.deepEqual(await ask('s3.i1.b1.fix'), [3, 3_000])
})
