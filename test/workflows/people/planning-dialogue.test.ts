// What is said before the first fix, scenario by scenario: the agents' answers and the people's are a table.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlanEdit } from '../../../src/domain/people/message-schemas.ts'
import type {
  AnsweredQuestion,
  ClarificationQuestion,
  OpenRequest,
  PlanDecision,
} from '../../../src/domain/people/validate-messages.ts'
import type { ClarifyOutcome, PlanningRules, PlanOutcome } from '../../../src/domain/workflow-types/index.ts'
import type { RequestResolution } from '../../../src/workflows/people/message-handlers.ts'
import { type PlanningResult, runPlanningDialogue } from '../../../src/workflows/people/planning-dialogue.ts'
import { TIMEOUTS } from '../../support/fake-ports.ts'

const DECIDED = { by: 'ada', from: 'a test', at: 1 }
const TALK: PlanningRules = {
  clarify: true,
  planner: 'rules',
  approvePlan: false,
  maxClarifyRounds: 3,
  maxPlanRejections: 1,
}
interface Script {
  readonly clarify?: readonly Partial<ClarifyOutcome>[]
  readonly plan?: readonly PlanOutcome[]
  /** What people do, request after request. */
  readonly people?: readonly (string | 'skip' | 'deadline' | PlanDecision)[]
}

interface Heard {
  readonly talked: PlanningResult
  readonly calls: readonly string[]
  readonly resumed: readonly (string | undefined)[]
  readonly asked: readonly OpenRequest[]
  readonly edits: readonly (readonly PlanEdit[])[]
  readonly rejected: readonly (string | undefined)[]
  readonly approvedBy: readonly (string | undefined)[]
}

function question(id: string): ClarificationQuestion {
  return { id, code: 'A', question: `${id}?`, context: '' }
}

function answered(id: string, answer: string): AnsweredQuestion {
  return { ...question(id), answer, ...DECIDED }
}

async function hear(talk: Partial<PlanningRules>, script: Script): Promise<Heard> {
  const [clarify, plan, people] = [[...(script.clarify ?? [])], [...(script.plan ?? [])], [...(script.people ?? [])]]
  const answers: AnsweredQuestion[] = []
  const calls: string[] = []
  const resumed: (string | undefined)[] = []
  const asked: OpenRequest[] = []
  const edits: (readonly PlanEdit[])[] = []
  const rejected: (string | undefined)[] = []
  const approvedBy: (string | undefined)[] = []
  const talked = await runPlanningDialogue(
    { rules: { ...TALK, ...talk }, timeouts: TIMEOUTS, codes: ['A', 'B'] },
    {
      clarify: async ({ stepId, resume }) => {
        calls.push(stepId)
        resumed.push(resume?.id)
        const nothing: ClarifyOutcome = { ready: false, questions: [], reused: [], message: '' }
        return { ...nothing, conversation: { id: `after ${stepId}` }, ...clarify.shift() }
      },
      planFixes: async (input) => {
        calls.push(input.stepId)
        resumed.push(input.resume?.id)
        rejected.push(input.rejected?.reason)
        return { conversation: { id: `after ${input.stepId}` }, ...plan.shift() }
      },
      applyPlan: async (input) => {
        calls.push(input.stepId)
        edits.push(input.edits)
        approvedBy.push(input.approved?.by)
        return { brief: 'ref', stages: [], dropped: input.edits.flatMap(({ drop }) => drop) }
      },
      requestDecision: async (_, open): Promise<RequestResolution> => {
        asked.push(open)
        const does = people.shift()
        if (does === undefined) throw new Error('nobody was to be asked')
        if (typeof does === 'object') return { kind: 'plan', decision: does, decided: DECIDED }
        if (does === 'deadline') return { kind: 'deadline', decided: DECIDED }
        if (does === 'skip') return { kind: 'skipped', decided: DECIDED }
        if (open.kind === 'clarification') answers.push(...open.questions.map(({ id }) => answered(id, does)))
        return { kind: 'answered', decided: DECIDED }
      },
      waitForStart: async (seconds) => {
        calls.push(`start within ${seconds}`)
        return people.shift() !== 'deadline'
      },
      listAnswered: () => answers,
      addAnswers: (more) => void answers.push(...more),
      wait: async () => undefined,
      now: () => 0,
      endsAt: () => undefined,
    },
  )
  return { talked, calls, resumed, asked, edits, rejected, approvedBy }
}

test('it asks round after round until it is ready, and goes on with the conversation each time [S2-4]', async () => {
  const { talked, calls, resumed, asked } = await hear(
    {},
    {
      clarify: [{ questions: [question('A-q1')] }, { questions: [question('A-q2')] }, { ready: true }],
      people: ['yes', 'no'],
    },
  )
  assert.deepEqual(calls, ['clarify.r1', 'clarify.r2', 'clarify.r3', 'plan.apply'])
  assert.deepEqual(resumed, [undefined, 'after clarify.r1', 'after clarify.r2'])
  assert.deepEqual(
    asked.map(({ request }) => request),
    ['clarify.r1', 'clarify.r2'],
  )
  assert.equal(talked.conversation?.id, 'after clarify.r3')
  assert.equal(talked.appliedPlan?.brief, 'ref')
})

test('where it is to wait for its start, it waits once all is clear, and ends where nobody lets it begin [S2-3]', async () => {
  const clarify = [{ questions: [question('A-q1')] }, { ready: true }]
  const begun = await hear({ waitForStart: true }, { clarify, people: ['yes', 'start'] })
  assert.deepEqual(begun.calls, ['clarify.r1', 'clarify.r2', 'start within 604800', 'plan.apply'])
  assert.equal(begun.talked.stop, undefined)
  const late = await hear({ waitForStart: true }, { clarify, people: ['yes', 'deadline'] })
  assert.deepEqual([late.calls.at(-1), late.talked.stop?.class], ['start within 604800', 'cancelled'])
})

test('nothing is asked and nothing laid out anew where all is clear [S2-2]', async () => {
  const { talked, calls } = await hear({}, { clarify: [{ ready: true }] })
  assert.deepEqual(calls, ['clarify.r1'])
  assert.deepEqual(talked, { conversation: { id: 'after clarify.r1' } })
})

test('a reply that is neither ready nor a question is no "ready": the session ends, and says why', async () => {
  for (const outcome of [
    {},
    { failure: { class: 'no_usable_work', reason: 'unreadable', detail: 'no JSON' } as const },
  ]) {
    const { talked, calls } = await hear({}, { clarify: [outcome] })
    assert.deepEqual(calls, ['clarify.r1'])
    assert.equal(talked.stop?.class, 'infrastructure')
    assert.match(talked.stop?.detail ?? '', /could not say whether it has questions: .*; start the same work again/)
  }
})

test('answers of an earlier session count without anybody being asked', async () => {
  const reused = [answered('A-q1', 'strict')]
  const { talked, calls, asked } = await hear({}, { clarify: [{ reused }, { ready: true }] })
  assert.deepEqual(calls, ['clarify.r1', 'clarify.r2', 'plan.apply'])
  assert.deepEqual(asked, [])
  assert.ok(talked.appliedPlan)
})

test('skipped questions are the last ones: it goes on with what it knows', async () => {
  const { calls, talked } = await hear({}, { clarify: [{ questions: [question('A-q1')] }], people: ['skip'] })
  assert.deepEqual(calls, ['clarify.r1'])
  assert.equal(talked.stop, undefined)
})

test('after the last round of questions it goes on with what it knows', async () => {
  const clarify = [1, 2, 3].map((round) => ({ questions: [question(`A-q${round}`)] }))
  const { calls, talked } = await hear({}, { clarify, people: ['a', 'b', 'c'] })
  assert.deepEqual(calls, ['clarify.r1', 'clarify.r2', 'clarify.r3', 'plan.apply'])
  assert.equal(talked.stop, undefined)
})

test('questions and plans that nobody answers in time end the session as cancelled', async () => {
  const silent = await hear({}, { clarify: [{ questions: [question('A-q1')] }], people: ['deadline'] })
  assert.equal(silent.talked.stop?.class, 'cancelled')
  assert.match(silent.talked.stop?.detail ?? '', /1 question\(s\) open/)
  const plan = await hear({ clarify: false, approvePlan: true, planner: 'agent' }, { people: ['deadline'] })
  assert.equal(plan.talked.stop?.class, 'cancelled')
})

test('the plan goes on with the conversation of the questions, and the fixes with that of the plan [S1-12]', async () => {
  const { talked, calls, resumed } = await hear(
    { planner: 'agent' },
    { clarify: [{ ready: true }], plan: [{ plan: 'p' }] },
  )
  assert.deepEqual(calls, ['clarify.r1', 'plan.p1', 'plan.p1.apply'])
  assert.deepEqual(resumed, [undefined, 'after clarify.r1'])
  assert.equal(talked.conversation?.id, 'after plan.p1')
})

test('a plan is shown until somebody agrees; edits add up, and what was left out says by whom', async () => {
  const edit = { drop: ['B'], order: [], notes: {} }
  const more = { drop: [], order: [], notes: { A: 'mind the cache' } }
  const { talked, calls, asked, edits, approvedBy } = await hear(
    { clarify: false, approvePlan: true, planner: 'agent' },
    {
      plan: [{ plan: 'p' }],
      people: [
        { decision: 'edit', edit },
        { decision: 'approve', edit: more },
      ],
    },
  )
  assert.deepEqual(calls, ['plan.p1', 'plan.p1.apply', 'plan.p1.apply2', 'plan.p1.agreed'])
  assert.deepEqual(asked, [
    { kind: 'plan', request: 'plan.p1', codes: ['A', 'B'], room: 64_000 },
    { kind: 'plan', request: 'plan.p1.e1', codes: ['A'], room: 64_000 },
  ])
  assert.deepEqual(edits.at(-1), [{ drop: ['B'], order: [], notes: more.notes }])
  assert.deepEqual(approvedBy, [undefined, undefined, 'ada'])
  assert.deepEqual(talked.droppedBy, DECIDED)
})

test('a later edit changes the plan as the earlier one left it', async () => {
  const edit = (order: string[], notes: Record<string, string>): PlanDecision => ({
    decision: 'edit',
    edit: { drop: [], order, notes },
  })
  const { edits, asked } = await hear(
    { clarify: false, approvePlan: true, planner: 'agent' },
    {
      plan: [{ plan: 'p' }],
      people: [edit(['B'], { A: 'mind the cache' }), edit(['C'], { A: 'mind' }), { decision: 'approve' }],
    },
  )
  assert.deepEqual(edits.at(-1), [{ drop: [], order: ['C', 'B'], notes: { A: 'mind' } }])
  assert.deepEqual(
    asked.map((open) => open.kind === 'plan' && open.room),
    [64_000, 63_986, 63_996],
  )
})

test('a rejected plan is made again with the reason; rejected too often, the session ends', async () => {
  const no: PlanDecision = { decision: 'reject', reason: 'too bold' }
  const asks = { clarify: false, approvePlan: true, planner: 'agent' } as const
  const second = await hear(asks, { people: [no, { decision: 'approve' }] })
  assert.deepEqual(second.calls, ['plan.p1', 'plan.p1.apply', 'plan.p2', 'plan.p2.apply', 'plan.p2.agreed'])
  assert.deepEqual(second.rejected, [undefined, 'too bold'])
  assert.deepEqual(second.resumed, [undefined, 'after plan.p1'])

  const { talked } = await hear(asks, { people: [no, no] })
  assert.deepEqual(talked.stop, { class: 'cancelled', detail: 'the plan was rejected by ada: too bold' })
})

test('a planner that can not be used costs the session its words, not its plan', async () => {
  const failure = { class: 'no_usable_work', reason: 'crash', detail: 'ended with status 1' } as const
  const { talked, calls } = await hear({ clarify: false, planner: 'agent' }, { plan: [{ failure }] })
  assert.deepEqual(calls, ['plan.p1', 'plan.p1.apply'])
  assert.ok(talked.appliedPlan)
})

test('a provider that is out of credit ends it before anything is fixed', async () => {
  const failure = { class: 'billing', detail: 'credit balance is too low' } as const
  const { talked } = await hear({ clarify: false, planner: 'agent' }, { plan: [{ failure }] })
  assert.deepEqual(talked.stop, failure)
})
