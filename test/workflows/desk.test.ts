// What people's messages do to a session: the real workflow on a real server, signals and updates as anyone can send them.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { WorkflowUpdateFailedError } from '@temporalio/client'
import { type MessageName, readMessage } from '../../src/domain/messages.ts'
import type { CloseInput, FixInput, OpenedSession, Talk } from '../../src/domain/protocol.ts'
import { biggestPayload } from '../support/histories.ts'
import { CLOCKS, gate, type StubSession, type Stubs, stubSession, untilCancelled } from '../support/stub-session.ts'
import { until } from '../support/temporal.ts'

const TALK: Talk = { clarify: true, planner: 'rules', approvePlan: false, maxClarifyRounds: 2, maxPlanRejections: 1 }
const ASKS = [
  { id: 'A-q1', code: 'A', question: 'strict or not?', context: '' },
  { id: 'general-q1', question: 'which Python?', context: '' },
]

/** Asks two questions in the first round, and is ready in the second. */
function curious(t: TestContext, stubs: Stubs = {}, opened: Partial<OpenedSession> = {}): Promise<StubSession> {
  return stubSession(
    t,
    { talk: TALK, ...opened },
    {
      clarify: async ({ round }) =>
        round === 1
          ? { ready: false, questions: ASKS, reused: [], message: '' }
          : { ready: true, questions: [], reused: [], message: '' },
      ...stubs,
    },
  )
}

function heard({ said }: StubSession): string[] {
  return said.map(({ name, outcome }) => `${name} ${outcome}`)
}

async function refusalOf(update: Promise<unknown>): Promise<string> {
  const error = await update.then(
    () => assert.fail('the update was not refused'),
    (failed: WorkflowUpdateFailedError) => failed,
  )
  return error.cause?.message ?? ''
}

test('S1-12 answers come by signal, one by one, and reach what comes after with who gave them', async (t) => {
  const laid: unknown[] = []
  const session = await curious(t, {
    layPlan: async ({ answered }) => {
      laid.push(...answered.map(({ id, answer, by }) => [id, answer, by]))
      return { brief: 'brief', stages: [], dropped: [] }
    },
  })
  await session.asks('clarification')
  await session.signal('answerClarification', { answers: { 'A-q1': 'strict' }, by: 'ada' })
  await session.signal('answerClarification', { answers: { 'general-q1': '3.13' } })
  await session.ended()
  assert.deepEqual(laid, [
    ['A-q1', 'strict', 'ada'],
    ['general-q1', '3.13', 'somebody'],
  ])
  assert.deepEqual(heard(session), ['answerClarification taken', 'answerClarification taken'])
  const over = session.notes.find(({ settled }) => settled)
  assert.equal(over?.settled?.how, 'answered')
  assert.deepEqual(
    over?.settled?.answers.map(({ id }) => id),
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
  assert.match(session.said[0]?.says ?? '', /no open question A-q1: nothing is being asked now/)
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
    /answered by ada already, differently: "strict"/,
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
  assert.match(session.said[2]?.says ?? '', /no open question B-q1: open are A-q1, general-q1/)
  assert.match(session.said[3]?.says ?? '', /no signal of that name: there are answerClarification, decidePlan/)
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
    const read = readMessage(name, JSON.parse(JSON.stringify(message)))
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
  assert.match(session.said[0]?.says ?? '', /can't be understood/)
  await session.signal('answerClarification', { answers: { 'A-q1': 'strict', 'general-q1': '3.13' } })
  assert.equal(((await session.ended()) as { status: string }).status, 'completed')
})

test('skipping goes on without the answers', async (t) => {
  const session = await curious(t)
  await session.asks('clarification')
  assert.equal((await session.update('answerClarification', { skip: true, by: 'ada' })).outcome, 'taken')
  await session.ended()
  assert.equal(session.notes.find(({ settled }) => settled)?.settled?.how, 'skipped')
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
    { clocks: { ...CLOCKS, clarifySeconds: 0.2 } },
  )
  await session.ended()
  assert.equal(closed?.ending?.class, 'cancelled')
  assert.match(closed?.ending?.detail ?? '', /nobody answered in time: 2 question\(s\) open/)
})

test('a waiting session says in words what it waits for, since when, until when, and what answers', async (t) => {
  const session = await curious(t, {}, { clocks: { ...CLOCKS, clarifySeconds: 3600 } })
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
  const session = await stubSession(t, { talk }, {})
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

test('S2-31 a change outside of the scope waits; what a person rejects is not committed', async (t) => {
  const committed: string[] = []
  const session = await stubSession(
    t,
    {},
    {
      fixBatch: async ({ call }) => ({
        work: {
          snapshot: call,
          tree: 'tree',
          owners: [],
          outOfScope: [],
          violations: [],
          asking: ['B'],
          issues: { A: { files: 1 }, B: { files: 1 } },
        },
      }),
      askScope: async () => ({ files: [{ path: 'other/b.py', why: 'outside the workspace', codes: ['B'] }], more: 0 }),
      settleScope: async ({ decision }) => ({ barred: decision.decision === 'reject' ? ['B'] : [] }),
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
})

test('S2-31 a decision about the scope that nobody takes in time counts as rejected', async (t) => {
  const settled: unknown[] = []
  const session = await stubSession(
    t,
    { clocks: { ...CLOCKS, scopeSeconds: 0.2 } },
    {
      fixBatch: async ({ call }) => ({
        work: { snapshot: call, tree: 't', owners: [], outOfScope: [], violations: [], asking: ['A'], issues: {} },
      }),
      askScope: async () => ({ files: [{ path: 'other/b.py', why: 'protected', codes: ['A'] }], more: 0 }),
      settleScope: async ({ decision, decided }) => {
        settled.push(decision.decision, decided.by)
        return { barred: ['A', 'B'] }
      },
    },
  )
  await session.ended()
  assert.deepEqual(settled, ['deadline', 'nobody'])
})

test('cancelling by signal stops what is under way, says who did it, and is the same the second time', async (t) => {
  const started = gate()
  let closed: CloseInput | undefined
  const session = await stubSession(
    t,
    {},
    {
      fixBatch: async (_: FixInput) => {
        started.open()
        return await untilCancelled()
      },
      closeSession: async (input) => {
        closed = input
        return { sessionId: '', status: 'cancelled', requested: 2, fixed: 0, failed: 0, skipped: 2 }
      },
    },
  )
  await started.passed
  await session.signal('cancel', { by: 'ada', reason: 'wrong branch' })
  await session.ended()
  assert.deepEqual(closed?.ending, { class: 'cancelled', detail: 'cancelled by ada: wrong branch' })
  assert.equal(closed?.by?.by, 'ada')
  assert.deepEqual(heard(session), ['cancel taken'])
})

test('cancelling works wherever a session is: each time it ends cancelled, by whom, with nothing more tried', async (t) => {
  const asking = { call: 's1.i1.b1.fix', files: [{ path: 'x', why: 'protected', codes: ['A'] }], more: 0 }
  const limit = { class: 'limit', reason: 'usage_limit', detail: 'usage limit reached' } as const
  const outcome = { snapshot: 's', tree: 't', owners: [], outOfScope: [], violations: [], issues: {} }
  const places: Readonly<
    Record<string, [Partial<Talk> | undefined, Stubs, (session: StubSession) => Promise<unknown>]>
  > = {
    'opening it': [{}, { openSession: untilCancelled }, (at) => phase(at, 'opening')],
    'the clarifier at work': [{}, { clarify: untilCancelled }, (at) => phase(at, 'looking for what is unclear')],
    'a limit of the clarifier': [
      {},
      { clarify: async () => ({ ready: false, questions: [], reused: [], message: '', failure: limit }) },
      (at) => phase(at, 'waiting'),
    ],
    'a question open': [{}, {}, (at) => at.asks('clarification')],
    'the planner at work': [
      { planner: 'agent', clarify: false },
      { planFixes: untilCancelled },
      (at) => phase(at, 'planning'),
    ],
    'a plan open': [{ approvePlan: true, clarify: false }, {}, (at) => at.asks('plan')],
    'laying it out': [{ approvePlan: true, clarify: false }, { layPlan: untilCancelled }, (at) => phase(at, 'opening')],
    'a scope open': [
      undefined,
      { fixBatch: async () => ({ work: { ...outcome, asking: ['A'] } }), askScope: async () => asking },
      (at) => at.asks('scope'),
    ],
    'settling the scope': [
      undefined,
      {
        fixBatch: async () => ({ work: { ...outcome, asking: ['A'] } }),
        askScope: async () => asking,
        note: async () => undefined,
        settleScope: untilCancelled,
      },
      async (at) => {
        await until('it is open', async () => (await at.view()).open !== undefined)
        await at.update('decideScope', { decision: 'approve' })
        await phase(at, 'going on')
      },
    ],
    'the challenger at work': [undefined, { challengeTree: untilCancelled }, (at) => phase(at, 'challenging A, B')],
  }
  await Promise.all(
    Object.entries(places).map(async ([place, [talk, stubs, reached]]) => {
      let closed: CloseInput | undefined
      const closeSession = async (input: CloseInput) => {
        closed = input
        return { sessionId: '', status: 'cancelled', requested: 2, fixed: 0, failed: 0, skipped: 2 } as const
      }
      const session = await curious(t, { ...stubs, closeSession }, { talk: talk && { ...TALK, ...talk } })
      await reached(session)
      await session.update('cancel', { by: 'ada', from: place })
      await session.ended()
      assert.deepEqual(closed?.ending, { class: 'cancelled', detail: 'cancelled by ada' }, place)
      assert.deepEqual([closed?.by?.from, closed?.outcomes], [place, {}])
      const { open, waiting } = await session.view()
      assert.deepEqual([open, waiting], [undefined, undefined], place)
    }),
  )
})

function phase(session: StubSession, name: string): Promise<void> {
  return until(`it is at ${name}`, async () => (await session.view()).phase === name)
}

test('cancelling while a question is open loses no answer that was given to a part of it, and leaves nothing open', async (t) => {
  const session = await curious(t)
  await session.asks('clarification')
  await session.update('answerClarification', { answers: { 'A-q1': 'strict' }, by: 'ada' })
  await session.signal('cancel', { by: 'bob' })
  assert.equal(((await session.ended()) as { status: string }).status, 'cancelled')
  const settled = session.notes.find((note) => note.settled)?.settled
  assert.deepEqual(
    [settled?.how, settled?.decided.by, settled?.answers.map(({ id }) => id)],
    ['cancelled', 'bob', ['A-q1']],
  )
  const { open, answered } = await session.view()
  assert.deepEqual([open, answered?.length], [undefined, 1])
})

test('once it is cancelled, a session takes nothing else', async (t) => {
  const [started, release] = [gate(), gate()]
  const session = await curious(t, {
    note: async ({ open }) => {
      if (open) started.open()
      if (open) await release.passed
    },
  })
  await started.passed
  await session.signal('cancel', { by: 'bob' })
  await until('it is being cancelled', () => heard(session).length === 1)
  assert.match(await refusalOf(session.update('answerClarification', { answers: { 'A-q1': 'x' } })), /cancelled by bob/)
  release.open()
  assert.equal(((await session.ended()) as { status: string }).status, 'cancelled')
})

test('no payload comes near to what Temporal refuses, however much is asked and said', async (t) => {
  const words = (count: number) => '字'.repeat(count)
  const questions = (round: number) =>
    Array.from({ length: 20 }, (_, index) => {
      const id = `A-q${round * 20 + index}`
      return { id, code: 'A', question: words(1000), context: words(2000) }
    })
  const talk: Talk = { ...TALK, planner: 'agent', approvePlan: true, maxClarifyRounds: 20 }
  const codes = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']
  const stages = [{ batches: [{ kind: 'backend', label: 'BE', workload: 3, steps: [codes] } as const] }]
  const session = await stubSession(
    t,
    { talk, stages },
    {
      clarify: async ({ round }) => ({ ready: false, questions: questions(round), reused: [], message: '' }),
      planFixes: async () => ({ plan: 'plan' }),
      layPlan: async () => ({ brief: 'brief', stages, dropped: [] }),
    },
  )
  const asksAgain = (request: string) =>
    until(`${request} is open`, async () => (await session.view()).open?.request === request)
  let refused = ''
  for (let round = 1; refused === ''; round += 1) {
    await asksAgain(`clarify.r${round}`)
    const ids = questions(round).map(({ id }) => id)
    for (const part of [ids.slice(0, 8), ids.slice(8, 16), ids.slice(16)]) {
      const answers = Object.fromEntries(part.map((id) => [id, words(8000)]))
      refused ||= await session.update('answerClarification', { answers }).then(
        () => '',
        (error: WorkflowUpdateFailedError) => error.cause?.message ?? '',
      )
    }
  }
  assert.match(refused, /together are at most/)
  await session.update('answerClarification', { skip: true })
  await asksAgain('plan.p1')
  const edit = { notes: Object.fromEntries(codes.map((code) => [code, words(8000)])) }
  await session.update('decidePlan', { decision: 'edit', edit })
  await asksAgain('plan.p1.e1')
  const more = { decision: 'edit', edit: { notes: { A: 'a word more' } } }
  assert.match(await refusalOf(session.update('decidePlan', more)), /at most 64000 characters: 0 are left/)
  await session.update('decidePlan', { decision: 'approve' })
  await session.ended()
  const history = await session.client.workflow.getHandle(session.workflowId).fetchHistory()
  const biggest = biggestPayload([history])
  assert.ok(biggest < 512 * 1024, `the biggest payload has ${biggest} bytes`)
})

test('what comes while the session is being closed changes nothing, and is on record all the same', async (t) => {
  const [closing, release] = [gate(), gate()]
  const session = await stubSession(
    t,
    {},
    {
      closeSession: async ({ sessionId }) => {
        closing.open()
        await release.passed
        return { sessionId, status: 'completed', requested: 2, fixed: 2, failed: 0, skipped: 0 }
      },
    },
  )
  await closing.passed
  await session.signal('cancel', { by: 'ada' })
  await until('the workflow has seen it', async () => (await session.view()).phase === 'closing')
  release.open()
  assert.equal(((await session.ended()) as { status: string }).status, 'completed')
  assert.deepEqual(heard(session), ['cancel refused'])
  assert.match(session.said[0]?.says ?? '', /at its end/)
})

test('answers and what was heard survive a continue-as-new', async (t) => {
  const batch = { kind: 'backend', label: 'BE', workload: 3 } as const
  const stages = ['A', 'B'].map((code) => ({ batches: [{ ...batch, steps: [[code]] }] }))
  const second = gate()
  const session = await curious(
    t,
    {
      layPlan: async () => ({ brief: 'brief', stages, dropped: [] }),
      fixBatch: async ({ call, codes }) => {
        if (codes.includes('B')) await second.passed
        return {
          work: {
            snapshot: call,
            tree: 'tree',
            owners: [],
            outOfScope: [],
            violations: [],
            issues: Object.fromEntries(codes.map((code) => [code, { files: 1 }])),
          },
        }
      },
    },
    { stages, continueAfterEvents: 10 },
  )
  await session.asks('clarification')
  await session.update('answerClarification', { answers: { 'A-q1': 'strict', 'general-q1': '3.13' } })
  const first = await session.client.workflow.getHandle(session.workflowId).describe()
  await until('it goes on in another run', async () => {
    const now = await session.client.workflow.getHandle(session.workflowId).describe()
    return now.runId !== first.runId
  })
  const again = await session.update('answerClarification', { answers: { 'A-q1': 'strict' } })
  assert.equal(again.outcome, 'repeated')
  second.open()
  await session.ended()
  assert.deepEqual(
    session.said.map(({ key }) => key),
    ['said/1', 'said/2'],
  )
})
