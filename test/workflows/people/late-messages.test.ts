// How a session that people talk to is stopped, closed and continued, and how much it carries of what they said: the real workflow on
// a real server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CloseInput, FixInput, PlanningRules } from '../../../src/domain/workflow-types/index.ts'
import { biggestPayload } from '../../support/histories.ts'
import {
  curious,
  fixed,
  gate,
  heard,
  refusalOf,
  type StubSession,
  type Stubs,
  stubSession,
  TALK,
  untilCancelled,
} from '../../support/stub-session.ts'
import { until } from '../../support/until.ts'

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
  assert.deepEqual(closed?.ending, { class: 'cancelled', detail: 'cancelled by ada (claimed): wrong branch' })
  assert.equal(closed?.by?.by, 'ada (claimed)')
  assert.deepEqual(heard(session), ['cancel taken'])
})

test('cancelling works wherever a session is: each time it ends cancelled, by whom, with nothing more tried', async (t) => {
  const asking = { stepId: 's1.i1.b1.fix', files: [{ path: 'x', why: 'protected', codes: ['A'] }], more: 0 }
  const limit = { class: 'limit', reason: 'usage_limit', detail: 'usage limit reached' } as const
  const outcome = { snapshot: 's', tree: 't', owners: [], outOfScope: [], violations: [], issues: {} }
  const places: Readonly<
    Record<string, [Partial<PlanningRules> | undefined, Stubs, (session: StubSession) => Promise<unknown>]>
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
    'laying it out': [
      { approvePlan: true, clarify: false },
      { applyPlan: untilCancelled },
      (at) => phase(at, 'opening'),
    ],
    'a scope open': [
      undefined,
      {
        fixBatch: async () => ({ work: { ...outcome, needsApproval: ['A'] } }),
        prepareScopeRequest: async () => asking,
      },
      (at) => at.asks('scope'),
    ],
    'settling the scope': [
      undefined,
      {
        fixBatch: async () => ({ work: { ...outcome, needsApproval: ['A'] } }),
        prepareScopeRequest: async () => asking,
        recordWait: async () => undefined,
        applyScopeDecision: untilCancelled,
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
      const session = await curious(t, { ...stubs, closeSession }, { planning: talk && { ...TALK, ...talk } })
      await reached(session)
      await session.update('cancel', { by: 'ada', from: place })
      await session.ended()
      assert.deepEqual(closed?.ending, { class: 'cancelled', detail: 'cancelled by ada (claimed)' }, place)
      assert.deepEqual([closed?.by?.from, closed?.outcomes], [`${place} (claimed)`, {}])
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
  const settled = session.notes.find((note) => note.resolved)?.resolved
  assert.deepEqual(
    [settled?.resolution, settled?.decidedBy.by, settled?.answers.map(({ id }) => id)],
    ['cancelled', 'bob (claimed)', ['A-q1']],
  )
  const { open, answered } = await session.view()
  assert.deepEqual([open, answered?.length], [undefined, 1])
})

test('once it is cancelled, a session takes nothing else', async (t) => {
  const [started, release] = [gate(), gate()]
  const session = await curious(t, {
    recordWait: async ({ open }) => {
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
  const talk: PlanningRules = { ...TALK, planner: 'agent', approvePlan: true, maxClarifyRounds: 20 }
  const codes = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']
  const stages = [{ batches: [{ kind: 'backend', label: 'BE', workload: 3, steps: [codes] } as const] }]
  const session = await stubSession(
    t,
    { planning: talk, stages },
    {
      clarify: async ({ round }) => ({ ready: false, questions: questions(round), reused: [], message: '' }),
      planFixes: async () => ({ plan: 'plan' }),
      applyPlan: async () => ({ brief: 'brief', stages, dropped: [] }),
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
        (error: Error) => (error.cause as Error | undefined)?.message ?? '',
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
  assert.match(session.said[0]?.response ?? '', /at its end/)
})

test('answers and what was heard survive a continue-as-new', async (t) => {
  const batch = { kind: 'backend', label: 'BE', workload: 3 } as const
  const stages = ['A', 'B'].map((code) => ({ batches: [{ ...batch, steps: [[code]] }] }))
  const second = gate()
  const session = await curious(
    t,
    {
      applyPlan: async () => ({ brief: 'brief', stages, dropped: [] }),
      fixBatch: async (input) => {
        if (input.codes.includes('B')) await second.passed
        return fixed(input)
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
