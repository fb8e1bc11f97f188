// What people's messages do to a session: the real workflow on a real server, signals and updates as anyone can send them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MessageName, parseMessage } from '../../../src/domain/people/message-schemas.ts'
import type { CloseInput } from '../../../src/domain/workflow-types/index.ts'
import { ASKS, CLOCKS, curious, fixed, gate, heard, refusalOf, stubSession, TALK } from '../../support/stub-session.ts'
import { until } from '../../support/until.ts'

test('answers come by signal, one by one, and reach what comes after with who gave them [S1-12]', async (t) => {
  const laid: unknown[] = []
  const session = await curious(t, {
    applyPlan: async ({ answered }) => {
      laid.push(...answered.map(({ id, answer, by }) => [id, answer, by]))
      return { brief: 'brief', stages: [], dropped: [] }
    },
  })
  await session.asks('clarification')
  await session.signal('answerClarification', { answers: { 'A-q1': 'strict' }, by: 'ada' })
  await session.signal('answerClarification', { answers: { 'general-q1': '3.13' } })
  await session.ended()
  assert.deepEqual(laid, [
    ['A-q1', 'strict', 'ada (claimed)'],
    ['general-q1', '3.13', 'somebody'],
  ])
  assert.deepEqual(heard(session), ['answerClarification taken', 'answerClarification taken'])
  assert.deepEqual(
    session.said.map(({ answered_question_ids }) => answered_question_ids),
    [['A-q1'], ['general-q1']],
  )
  const over = session.notes.find(({ resolved }) => resolved)
  assert.equal(over?.resolved?.resolution, 'answered')
  assert.deepEqual(
    over?.resolved?.answers.map(({ id }) => id),
    ['A-q1', 'general-q1'],
  )
})

test('a signal that comes before its question changes nothing, and is on record', async (t) => {
  const asking = gate()
  const session = await curious(t, {
    clarify: async ({ round }) => {
      await asking.passed
      return { ready: round > 1, questions: round === 1 ? ASKS : [], reused: [], message: '' }
    },
  })
  await session.signal('answerClarification', { answers: { 'A-q1': 'strict' } })
  await until('it is on record', () => session.said.length === 1)
  asking.open()
  await session.asks('clarification')
  assert.deepEqual((await session.view()).answered, [])
  assert.deepEqual(heard(session), ['answerClarification refused'])
  assert.match(session.said[0]?.response ?? '', /no open question A-q1: nothing is being asked now/)
})

test('the same answer twice is fine, another one to an answered question is refused with the reason', async (t) => {
  const session = await curious(t)
  await session.asks('clarification')
  const first = await session.update('answerClarification', { answers: { 'A-q1': 'strict' }, by: 'ada' })
  assert.equal(first.outcome, 'taken')
  const again = await session.update('answerClarification', { answers: { 'A-q1': 'strict' }, by: 'bob' })
  assert.equal(again.outcome, 'repeated')
  const other = { answers: { 'A-q1': 'lax', 'general-q1': '3.13' }, by: 'bob' }
  assert.match(
    await refusalOf(session.update('answerClarification', other)),
    /answered by ada \(claimed\) already, differently: "strict"/,
  )
  // None of it counts, also what would have been right by itself.
  assert.deepEqual(
    (await session.view()).answered?.map(({ id }) => id),
    ['A-q1'],
  )
})

test('malformed messages, unknown questions and unknown signals change nothing and are on record', async (t) => {
  const session = await curious(t)
  await session.asks('clarification')
  await session.signal('answerClarification', { answer: { 'A-q1': 'strict' } })
  await session.signal('answerClarification', 'strict')
  await session.signal('answerClarification', { answers: { 'B-q1': 'x' } })
  await session.signal('answerQuestions', { answers: {} })
  await session.signal('decidePlan', { decision: 'approve' })
  await until('all of it is on record', () => session.said.length === 5)
  assert.ok(session.said.every(({ outcome }) => outcome === 'refused'))
  assert.match(session.said[2]?.response ?? '', /no open question B-q1: open are A-q1, general-q1/)
  assert.match(session.said[3]?.response ?? '', /no signal of that name: there are answerClarification, decidePlan/)
  assert.deepEqual((await session.view()).answered, [])
  assert.match(await refusalOf(session.update('answerClarification', { answers: {} })), /it holds no answer/)
})

test('whatever is wrong with a message is told in the sandbox as it is outside, where what sessions share is frozen', async (t) => {
  const session = await curious(t)
  await session.asks('clarification')
  const wrong: readonly [MessageName, unknown][] = [
    ['answerClarification', null],
    ['answerClarification', { answers: { 'FUNC-001': 'no id' } }],
    ['answerClarification', { answers: { 'A-q1': 'x'.repeat(8001) }, skip: 'yes' }],
    ['answerClarification', { answers: { 'A-q1': 7 }, by: '', from: 'x'.repeat(201) }],
    ['answerClarification', { answers: {}, request: '', unheard: 1, of: 2 }],
    ['decidePlan', { decision: 'perhaps' }],
    ['decidePlan', { decision: 'reject' }],
    [
      'decidePlan',
      { decision: 'edit', edit: { drop: ['a/b'], order: ['A', 'A'], notes: { __proto__: 1, toString: 'x' } } },
    ],
    ['decidePlan', { decision: 'edit', edit: { order: Array.from({ length: 501 }, (_, index) => `A${index}`) } }],
    ['decideScope', { decision: 'approve', paths: [], remember: 'forever' }],
    ['decideScope', { decision: 'reject', paths: ['./a//b'] }],
    ['decideScope', ['approve']],
    ['cancel', { reason: ['because'] }],
  ]
  for (const [name, message] of wrong) {
    const read = parseMessage(name, JSON.parse(JSON.stringify(message)))
    const why = read.kind === 'refused' ? read.reason : assert.fail(JSON.stringify(message))
    assert.equal(await refusalOf(session.update(name, message)), `it can't be understood: ${why}`)
  }
  assert.equal((await session.update('answerClarification', { skip: true })).outcome, 'taken')
  await session.ended()
})

test('a payload that nobody can decode does not wedge the session', async (t) => {
  const session = await curious(t)
  await session.asks('clarification')
  await session.signalGarbage('answerClarification')
  await session.signalGarbage('what is this')
  await until('both are on record', () => session.said.length === 2)
  assert.match(session.said[0]?.response ?? '', /can't be understood/)
  await session.signal('answerClarification', { answers: { 'A-q1': 'strict', 'general-q1': '3.13' } })
  assert.equal(((await session.ended()) as { status: string }).status, 'completed')
})

test('skipping goes on without the answers', async (t) => {
  const session = await curious(t)
  await session.asks('clarification')
  assert.equal((await session.update('answerClarification', { skip: true, by: 'ada' })).outcome, 'taken')
  await session.ended()
  assert.equal(session.notes.find(({ resolved }) => resolved)?.resolved?.resolution, 'skipped')
})

test('nobody answers in time: the session ends cancelled, and says so', async (t) => {
  let closed: CloseInput | undefined
  const session = await curious(
    t,
    {
      closeSession: async (input) => {
        closed = input
        return { sessionId: '', status: 'cancelled', requested: 2, fixed: 0, failed: 0, skipped: 2 }
      },
    },
    { timeouts: { ...CLOCKS, clarifySeconds: 0.2 } },
  )
  await session.ended()
  assert.equal(closed?.ending?.class, 'cancelled')
  assert.match(closed?.ending?.detail ?? '', /nobody answered in time: 2 question\(s\) open/)
})

test('a waiting session says in words what it waits for, since when, until when, and what answers', async (t) => {
  const session = await curious(t, {}, { timeouts: { ...CLOCKS, clarifySeconds: 3600 } })
  await session.asks('clarification')
  const { waiting, open } = await session.view()
  assert.equal(waiting?.kind, 'clarification')
  assert.equal(waiting?.for, 'an answer to 2 questions: strict or not?')
  assert.equal(waiting?.answer, `fixwright answer ${session.workflowId}`)
  assert.equal((waiting?.until ?? 0) - (waiting?.since ?? 0), 3_600_000)
  assert.equal(open?.kind, 'clarification')
})

test('a plan is approved, edited or rejected by whoever decides first; a stale decision is refused', async (t) => {
  const talk = { ...TALK, clarify: false, approvePlan: true }
  const session = await stubSession(t, { planning: talk }, {})
  await session.asks('plan')
  const unknown = { decision: 'edit', edit: { drop: ['Z'] } }
  assert.match(await refusalOf(session.update('decidePlan', unknown)), /the plan has no issue Z/)
  const stale = { request: 'plan.p9', decision: 'approve' }
  assert.match(
    await refusalOf(session.update('decidePlan', stale)),
    /"plan\.p9" is not what is open now: that is "plan\.p1"/,
  )
  const edit = { request: 'plan.p1', decision: 'edit', edit: { drop: ['B'] }, by: 'ada' }
  assert.equal((await session.update('decidePlan', edit)).outcome, 'taken')
  assert.equal((await session.update('decidePlan', edit)).outcome, 'repeated')
  await until('the edited plan is open', async () => (await session.view()).open?.request === 'plan.p1.e1')
  await session.signal('decidePlan', { decision: 'approve', by: 'ada' })
  await session.ended()
})

test('a change outside of the scope waits; what a person rejects is not committed [S2-31]', async (t) => {
  const committed: string[] = []
  const session = await stubSession(
    t,
    {},
    {
      fixBatch: async (input) => fixed(input, { needsApproval: ['B'] }),
      prepareScopeRequest: async () => ({
        files: [{ path: 'other/b.py', why: 'a new secret (aws)', codes: ['B'] }],
        more: 0,
      }),
      applyScopeDecision: async ({ decision }) => ({ barred: decision.decision === 'reject' ? ['B'] : [] }),
      commitStage: async ({ codes }) => {
        committed.push(...codes)
        return { kind: 'committed', sha: 'sha', codes }
      },
    },
  )
  await session.asks('scope')
  const wide = { decision: 'approve', paths: ['other'] }
  assert.match(await refusalOf(session.update('decideScope', wide)), /other: not among the files in question/)
  await session.update('decideScope', { decision: 'reject', reason: 'not its business', by: 'ada' })
  await session.ended()
  assert.deepEqual(committed, ['A'])
  const { outcomes } = await session.view()
  assert.equal(outcomes.B?.reason, 'not approved by ada (claimed): other/b.py (a new secret (aws)): not its business')
})

test('a decision about the scope that nobody takes in time counts as rejected [S2-31]', async (t) => {
  const settled: unknown[] = []
  const session = await stubSession(
    t,
    { timeouts: { ...CLOCKS, scopeSeconds: 0.2 } },
    {
      fixBatch: async (input) => fixed(input, { needsApproval: ['A'] }),
      prepareScopeRequest: async () => ({ files: [{ path: 'other/b.py', why: 'protected', codes: ['A'] }], more: 0 }),
      applyScopeDecision: async ({ decision, decidedBy }) => {
        settled.push(decision.decision, decidedBy.by)
        return { barred: ['A', 'B'] }
      },
    },
  )
  await session.ended()
  assert.deepEqual(settled, ['deadline', 'nobody'])
})
