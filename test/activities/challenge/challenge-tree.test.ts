// What is made of the challenger's answers, also where the next question may not be asked any more.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GateRecord } from '../../../src/domain/verification/gate-record.ts'
import { DEFAULTS, gateInput, S1, setBench } from '../support.ts'

test('a budget that ends the repair question leaves the verdicts that were read: on record, told, and in the outcome', async (t) => {
  const bench = await setBench(t)
  const budgets = { ...DEFAULTS.budgets, session_tokens: 10_000 }
  await bench.session(S1, { A: 'src/app.py', B: 'src/lib/util.py' }, { budgets })
  const { base } = await bench.run('openSession', { sessionId: S1 })
  const owners = { 'src/lib/util.py': 'B' }
  await bench.fixed(S1, 'fix', { 'src/app.py': 'x = 1\n', 'src/lib/util.py': 'y = 1\n' }, 'A', owners)
  // As the call left it: it says nothing of B, and has spent the budget.
  const call = 's1.i1.challenge'
  const { ref } = await bench.shop.artifacts.put(
    JSON.stringify({ issues: { A: { score: 96, feedback: 'well done' } } }),
  )
  const claim = await bench.store.agentCalls.claim({
    session_id: S1,
    key: call,
    role: 'fix_challenger',
    codes: ['A', 'B'],
  })
  await bench.store.agentCalls.finish(claim.call, { reply_ref: ref, tokens: { input: 12_000, cached: 0, output: 100 } })

  const input = { ...gateInput(S1, call, base, 'fix', ['A', 'B']), earlierStepIds: [] }
  const outcome = await bench.run('challengeTree', input)
  assert.equal(outcome.failure?.class, 'budget')
  assert.deepEqual([outcome.issues, outcome.unchallenged], [{ A: { score: 96, blockers: 0 } }, ['B']])
  const [kept] = await bench.store.artifacts.listForSession(S1, { kind: 'verdict', name: call })
  const { verdicts } = GateRecord.parse(JSON.parse(await bench.shop.artifacts.getText(kept?.ref ?? '')))
  assert.deepEqual(Object.keys(verdicts ?? {}), ['A'])
  const told = (await bench.store.events.listAfter(S1)).filter((event) => event.type === 'fix_challenger_result')
  assert.deepEqual(
    told.map(({ issue_code, message }) => [issue_code, message]),
    [['A', '96 · solved · well done']],
  )
})

test('a blocker that is still open holds an issue back, whatever its score; one that is settled, and a point that is none, do not', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py', B: 'src/lib/util.py' })
  const { base } = await bench.run('openSession', { sessionId: S1 })
  await bench.fixed(S1, 'fix', { 'src/app.py': 'x = 1\n', 'src/lib/util.py': 'y = 1\n' }, 'A', {
    'src/lib/util.py': 'B',
  })
  const point = (id: string, more: object) => ({ id, text: `what ${id} says`, ...more })
  const settled = [point('P1', { blocker: true, settled: true }), point('P2', { blocker: false })]
  const call = 's1.i1.challenge'
  const issues = {
    A: { score: 99, feedback: 'good', points: [...settled, point('P3', { blocker: true })] },
    B: { score: 99, feedback: 'good', points: settled },
  }
  const { ref } = await bench.shop.artifacts.put(JSON.stringify({ issues }))
  const claim = await bench.store.agentCalls.claim({
    session_id: S1,
    key: call,
    role: 'fix_challenger',
    codes: ['A', 'B'],
  })
  await bench.store.agentCalls.finish(claim.call, { reply_ref: ref })

  const input = { ...gateInput(S1, call, base, 'fix', ['A', 'B']), earlierStepIds: [] }
  const outcome = await bench.run('challengeTree', input)
  assert.deepEqual(outcome.issues, { A: { score: 99, blockers: 1 }, B: { score: 99, blockers: 0 } })
  const told = (await bench.store.events.listAfter(S1)).filter((event) => event.type === 'fix_challenger_result')
  assert.deepEqual(
    told.map(({ message, data }) => [message, 'blockers' in data && data.blockers]),
    [
      ['99 · not solved · good', ['what P3 says']],
      ['99 · solved · good', []],
    ],
  )
})

test('a change that can hardly be about its issue needs a reason beside its score', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py', B: 'src/lib/util.py', C: 'src/app.py' })
  const { base } = await bench.run('openSession', { sessionId: S1 })
  const files = { 'tests/a.py': 'x = 1\n', 'src/b.py': 'y = 1\n', 'src/c.py': 'z = 1\n' }
  await bench.fixed(S1, 'fix', files, 'A', { 'src/b.py': 'B', 'src/c.py': 'C' })
  const call = 's1.i1.challenge'
  const issues = { A: { score: 96 }, B: { score: 96 }, C: { score: 96, why_elsewhere: 'app.py reads c.py' } }
  const { ref } = await bench.shop.artifacts.put(JSON.stringify({ issues }))
  const codes = ['A', 'B', 'C']
  const claim = await bench.store.agentCalls.claim({ session_id: S1, key: call, role: 'fix_challenger', codes })
  await bench.store.agentCalls.finish(claim.call, { reply_ref: ref, tokens: { input: 1, cached: 0, output: 1 } })
  const input = { sessionId: S1, stepId: call, head: base, codes, iteration: 1, earlierStepIds: [] }
  const outcome = await bench.run('challengeTree', { ...input, selections: [{ snapshot: 'fix', codes }] })
  assert.deepEqual(
    codes.map((code) => outcome.issues[code]?.blockers),
    [1, 1, 0],
  )
  const told = (await bench.store.events.listAfter(S1)).map(({ message }) => message ?? '')
  assert.ok(
    told.some((message) => /nothing but tests, and nothing says how it resolves A/.test(message)),
    told.join('\n'),
  )
})
