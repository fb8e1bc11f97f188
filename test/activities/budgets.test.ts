// Budgets where calls are made, with the real Claude CLI: what is on record is what counts, whoever wrote it and however often.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import { until } from '../support/until.ts'
import { fixInput, setTalk } from './plan/support.ts'
import { DEFAULTS } from './support.ts'

const FILES = { A: 'src/app.py', B: 'src/lib/util.py' }
const SCENARIO: ScenarioInput = {
  issues: {
    A: { fixes: [{ steps: [{ tool: 'edit', file: 'src/app.py', old: 'return 1', new: 'return 2' }] }] },
    B: { fixes: [{ steps: [{ tool: 'edit', file: 'src/lib/util.py', old: 'line 3\n', new: 'line three\n' }] }] },
  },
}
const QUIET = { people: DEFAULTS.people }

function budget(limits: Partial<typeof DEFAULTS.budgets>) {
  return { ...QUIET, budgets: { ...DEFAULTS.budgets, ...limits } }
}

test('a worker that died resets nothing: what its call had told by then counts, and its cost is not known', async (t) => {
  const bench = await setTalk(t, { ...SCENARIO, faults: [{ match: { nth: 2 }, fault: { kind: 'hold' } }] })
  const [id] = bench.ids
  const opened = await bench.opened(id, FILES, budget({ session_tokens: 10_000 }))
  const key = 's1.i1.b1.fix'
  // As the worker before left it: its process is gone, what the stream had told is on record.
  const claim = await bench.store.agentCalls.claim({ session_id: id, key, role: 'fixer', codes: ['A', 'B'] })
  await bench.store.agentCalls.updateRunning(claim.call, {
    tokens: { input: 14_000, cached: 0, output: 100 },
    cost_usd: 0.02,
  })
  const { work, failure } = await bench.run('fixBatch', fixInput(id, opened, ['A', 'B']))
  assert.ok(failure?.class === 'budget' && failure.limit === 'session_tokens')
  assert.match(failure.detail, /14,100 of 10,000 tokens/)
  assert.deepEqual(
    Object.values(work.issues).map(({ files }) => files),
    [0, 0],
  )
  assert.equal(bench.model.calls().length, 0, 'nothing more is spent')
  await bench.run('closeSession', {
    sessionId: id,
    outcomes: {},
    ending: { class: 'budget', detail: failure.detail },
    at: Date.now(),
  })
  const { result } = (await bench.store.sessions.get(id)) ?? {}
  assert.deepEqual(
    [result?.status, result?.cost_usd, result?.cost_partial, result?.tokens],
    ['partial', 0.02, true, 14_100],
  )
  const [last] = (await bench.events(id)).slice(-1)
  assert.match(last?.message ?? '', /14,100 of 10,000 tokens .* · 0\.02 \+ \? USD$/)
})

test('what a call has used is on record while it runs', async (t) => {
  const bench = await setTalk(t, { ...SCENARIO, faults: [{ match: { nth: 2 }, fault: { kind: 'hold' } }] })
  const [id] = bench.ids
  const prices = [{ model: '*', input: 1, output: 1 }]
  const opened = await bench.opened(id, FILES, { ...QUIET, prices })
  const running = bench.run('fixBatch', fixInput(id, opened, ['A', 'B']))
  await bench.model.waitFor({ nth: 2 })
  await until('it is written down', async () => (await bench.store.agentCalls.sumSpending(id)).tokens > 5_000)
  const { tokens, ...cost } = await bench.store.agentCalls.sumSpending(id)
  assert.deepEqual(cost, { cost_usd: tokens / 1e6 }, 'with a price also what that cost')
  bench.model.release()
  const { failure } = await running
  assert.equal(failure, undefined)
  assert.ok((await bench.store.agentCalls.sumSpending(id)).tokens > 2 * tokens)
})

test('a call that runs into the end of the session’s time is ended, keeps its work, and says why', async (t) => {
  const bench = await setTalk(t, { ...SCENARIO, faults: [{ match: { nth: 3 }, fault: { kind: 'hang' } }] })
  const [id] = bench.ids
  const opened = await bench.opened(id, FILES, budget({ session_seconds: 3600 }))
  assert.ok(opened.endsAt! > Date.now() + 3_000_000)
  const input = { ...fixInput(id, opened, ['A', 'B']), endsAt: Date.now() + 20_000 }
  const { work, failure, conversation } = await bench.run('fixBatch', input)
  assert.ok(failure?.class === 'budget' && failure.limit === 'session_seconds', JSON.stringify(failure))
  assert.equal(conversation, undefined)
  assert.ok(
    Object.values(work.issues).some(({ files }) => files === 1),
    'what was changed is kept',
  )
  const [call] = await bench.store.agentCalls.listForSession(id)
  assert.ok((call?.tokens?.input ?? 0) > 10_000 && call?.cost_partial, 'and what it used until then')
  const late = await bench.run('fixBatch', { ...input, stepId: 's1.i2.b1.fix', iteration: 2, endsAt: Date.now() - 1 })
  assert.ok(late.failure?.class === 'budget')
  assert.equal((await bench.store.agentCalls.listForSession(id)).length, 1, 'no call is begun after it')
})

test('an issue that spent its share before is left out of the call, and the others may spend all of theirs', async (t) => {
  const bench = await setTalk(t, SCENARIO)
  const [id] = bench.ids
  const opened = await bench.opened(id, FILES, budget({ issue_tokens: 60_000 }))
  const earlier = { session_id: id, key: 'plan.p1', role: 'planner', codes: ['A'] }
  const claim = await bench.store.agentCalls.claim(earlier)
  await bench.store.agentCalls.finish(claim.call, { cost_usd: 0.1, tokens: { input: 60_000, cached: 0, output: 1 } })
  const { work, failure, overspent } = await bench.run('fixBatch', fixInput(id, opened, ['A', 'B']))
  assert.equal(failure, undefined)
  assert.deepEqual([work.issues.A?.files, work.issues.B?.files], [0, 1])
  assert.deepEqual(Object.keys(overspent ?? {}), ['A'])
  assert.match(overspent?.A ?? '', /^A has spent 60,001 of 60,000 tokens/)
})
