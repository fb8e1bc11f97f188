// What a wait shows, to whoever looks at the store or the log; what people decided, by whom, when and from where; and what is said
// to a session besides.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { MockActivityEnvironment } from '@temporalio/testing'
import { storeArtifact } from '../../../src/activities/artifacts.ts'
import { claimedIssues, loadSession } from '../../../src/activities/context.ts'
import { createSessionActivities } from '../../../src/activities/index.ts'
import { findEarlierAnswers } from '../../../src/activities/plan/remembered-answers.ts'
import { NOTHING_SPENT } from '../../../src/domain/budget/spending.ts'
import type { AnsweredQuestion, OpenRequest } from '../../../src/domain/people/validate-messages.ts'
import type { EventType } from '../../../src/domain/session/events/index.ts'
import type {
  MessageRecord,
  RecordWaitInput,
  ResolvedRequest,
  WaitState,
} from '../../../src/domain/workflow-types/index.ts'
import { eventsOfType } from '../../domain/session/events/made-events.ts'
import { until } from '../../support/until.ts'
import { type Bench, QUIET, setBench, verifiedBy } from '../support.ts'

const SINCE = Date.parse('2026-11-18T12:00:00Z')
const DECIDED = { by: 'Ada', from: 'terminal', at: SINCE + 60_000 }
const FILES = { A: 'src/app.py', B: 'run.sh' }
const QUESTIONS = [
  { id: 'A-q1', code: 'A', question: 'Strict or loose?', context: 'It decides.' },
  { id: 'general-q1', question: 'May tests change?', context: '' },
]

async function opened(t: Parameters<typeof setBench>[0]): Promise<Bench> {
  const bench = await setBench(t)
  await bench.session('s1', FILES)
  await bench.run('openSession', { sessionId: 's1' })
  return bench
}

function waitingFor(kind: WaitState['kind'], call: string, open?: OpenRequest): RecordWaitInput {
  const waiting = {
    kind,
    for: `words about the ${kind}`,
    answer: `fixwright ${kind} s1`,
    since: SINCE,
    until: SINCE + 1000,
  }
  return { sessionId: 's1', stepId: call, reason: waiting.for, waiting, ...(open ? { open } : {}) }
}

function over(
  call: string,
  settled: Partial<ResolvedRequest> & Pick<ResolvedRequest, 'kind' | 'resolution'>,
): RecordWaitInput {
  return {
    sessionId: 's1',
    stepId: call,
    reason: 'an answer',
    resolved: { answers: [], decidedBy: DECIDED, ...settled },
  }
}

async function shown(bench: Bench) {
  const { status, waiting, decision } = (await bench.store.sessions.get('s1')) ?? {}
  return { status, waiting, decision }
}

async function eventsOf<Type extends EventType>(bench: Bench, type: Type, id = 's1') {
  return eventsOfType(await bench.store.events.listAfter(id), type)
}

describe('a wait', () => {
  test('for answers shows the questions, each with its issue, and is over with who answered what [S2-17]', async (t) => {
    const bench = await opened(t)
    const open = { kind: 'clarification', request: 'clarify.r1', questions: QUESTIONS } as const
    const begin = waitingFor('clarification', 'clarify.r1.asked', open)
    await bench.run('recordWait', begin)
    await bench.run('recordWait', begin)
    assert.deepEqual(await shown(bench), {
      status: 'awaiting_clarification',
      waiting: {
        kind: 'clarification',
        reason: 'words about the clarification',
        since: '2026-11-18T12:00:00.000Z',
        until: '2026-11-18T12:00:01.000Z',
      },
      decision: {
        kind: 'clarification',
        request: 'clarify.r1',
        questions: [
          { id: 'A-q1', issue_code: 'A', question: 'Strict or loose?', context: 'It decides.' },
          { id: 'general-q1', question: 'May tests change?', context: '' },
        ],
      },
    })
    const needed = await eventsOf(bench, 'fix_clarification_needed')
    assert.deepEqual(
      needed.map(({ issue_code, message }) => [issue_code, message]),
      [
        ['A', 'A-q1: Strict or loose?'],
        [undefined, 'general-q1: May tests change?'],
      ],
    )
    const [waits] = await eventsOf(bench, 'fix_waiting')
    const data = { kind: 'clarification', since: SINCE, until: SINCE + 1000, answer: 'fixwright clarification s1' }
    const reason = 'words about the clarification'
    assert.deepEqual(waits?.data, { ...data, reason, total: NOTHING_SPENT })

    const answers: AnsweredQuestion[] = [{ ...QUESTIONS[0]!, answer: 'strict '.repeat(500), ...DECIDED }]
    await bench.run(
      'recordWait',
      over('clarify.r1.asked.resumed', { kind: 'clarification', resolution: 'skipped', answers }),
    )
    assert.deepEqual(await shown(bench), { status: 'analyzing', waiting: undefined, decision: undefined })
    const [received, rest] = await eventsOf(bench, 'fix_clarification_received')
    assert.ok(received && received.message.length < 600 && received.issue_code === 'A')
    assert.deepEqual(
      [received.data.by, received.data.from, received.data.at],
      ['Ada', 'terminal', '2026-11-18T12:01:00.000Z'],
    )
    assert.match(rest?.message ?? '', /the rest is skipped, Ada \(terminal\)/)
  })

  test('for a decision about the plan is over with what was decided, why, by whom and from where', async (t) => {
    const bench = await opened(t)
    await bench.run(
      'recordWait',
      waitingFor('plan', 'plan.p1.asked', { kind: 'plan', request: 'plan.p1', codes: ['A'], room: 64_000 }),
    )
    const { status, decision } = await shown(bench)
    assert.deepEqual([status, decision], ['awaiting_clarification', { kind: 'plan', request: 'plan.p1' }])
    const settled = { kind: 'plan', resolution: 'reject', reason: 'too much' } as const
    await bench.run('recordWait', over('plan.p1.asked.resumed', settled))
    const [decided] = await eventsOf(bench, 'fix_plan_decided')
    assert.equal(decided?.message, 'reject, Ada (terminal): too much')
    const at = '2026-11-18T12:01:00.000Z'
    const data = { how: 'reject', reason: 'too much', by: 'Ada', from: 'terminal', at }
    assert.deepEqual(decided?.data, { ...data, total: NOTHING_SPENT })
  })

  test('for a decision about the scope shows the files and what was changed in them', async (t) => {
    const bench = await opened(t)
    const ref = await storeArtifact(bench.shop, 's1', 'diff', 's1.i1.b1.fix.scope', 'the diff')
    const files = [{ path: 'shared/x.py', why: 'outside the workspace', codes: ['A'] }]
    const open = { kind: 'scope', request: 's1.i1.b1.fix', files, more: 0 } as const
    await bench.run('recordWait', waitingFor('scope', 's1.i1.b1.fix.scope.asked', open))
    assert.deepEqual((await shown(bench)).decision, {
      kind: 'scope',
      request: 's1.i1.b1.fix',
      files: [{ path: 'shared/x.py', why: 'outside the workspace', issue_codes: ['A'] }],
      diff_ref: ref,
    })
    assert.equal((await shown(bench)).status, 'awaiting_clarification')
  })

  test('that no person can end leaves the status, and says what it is for', async (t) => {
    const bench = await opened(t)
    for (const [call, kind] of [
      ['s1.commit.wait', 'branch'],
      ['s1.i1.b1.fix.wait1', 'limit'],
    ] as const) {
      await bench.run('recordWait', waitingFor(kind, call))
      const { status, waiting, decision } = await shown(bench)
      assert.deepEqual([status, waiting?.kind, decision], ['generating', kind, undefined], call)
      await bench.run('recordWait', { sessionId: 's1', stepId: `${call}.resumed`, reason: 'a limit' })
      assert.deepEqual(await shown(bench), { status: 'generating', waiting: undefined, decision: undefined })
    }
  })

  test('that is cancelled keeps the answers that were given, and an answer to the same issue is no more than fits a history', async (t) => {
    const bench = await opened(t)
    const words = (count: number) => '字'.repeat(count)
    const answers = [1, 2, 3, 4, 5, 6, 7, 8].map((number): AnsweredQuestion => {
      return { ...QUESTIONS[0]!, ...DECIDED, id: `A-q${number}`, question: `${number}?`, answer: words(8000) }
    })
    await bench.run(
      'recordWait',
      over('clarify.r1.asked.resumed', { kind: 'clarification', resolution: 'cancelled', answers }),
    )
    const received = await eventsOf(bench, 'fix_clarification_received')
    assert.equal(received.length, 9)
    assert.equal(received.at(-1)?.message, 'cancelled before the rest was answered, Ada (terminal)')
    await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })

    await bench.session('s2', FILES)
    await bench.run('openSession', { sessionId: 's2' })
    const session = await loadSession(bench.shop, 's2')
    const again = await findEarlierAnswers(bench.shop, session, claimedIssues(session), [])
    assert.equal(again.length, 5)
    assert.deepEqual(await findEarlierAnswers(bench.shop, session, claimedIssues(session), again), [])
  })

  test('that ends with the session leaves nothing to answer', async (t) => {
    const bench = await opened(t)
    const open = { kind: 'clarification', request: 'clarify.r1', questions: QUESTIONS } as const
    await bench.run('recordWait', waitingFor('clarification', 'clarify.r1.asked', open))
    const ending = { class: 'cancelled', detail: 'cancelled by Ada: lunch' } as const
    await bench.run('closeSession', { sessionId: 's1', outcomes: {}, ending, by: DECIDED, at: Date.now() })
    assert.deepEqual(await shown(bench), { status: 'cancelled', waiting: undefined, decision: undefined })
    const last = await bench.store.events.findLast('s1')
    assert.ok(last?.type === 'fix_session_cancelled')
    assert.match(last?.message ?? '', /cancelled by Ada: lunch · told from terminal · 0 fixed/)
    assert.deepEqual([last.data.by, last.data.from], ['Ada', 'terminal'])
  })
})

test('issues that a person left out of the plan are open again, and count as skipped with the reason', async (t) => {
  const bench = await opened(t)
  const outcomes = { B: { status: 'open', reason: 'left out of the plan by Ada', iterations: 0 } } as const
  await bench.run('closeSession', { sessionId: 's1', outcomes, at: Date.now() })
  const { result } = (await bench.store.sessions.get('s1')) ?? {}
  const [, B] = result?.results ?? []
  assert.deepEqual([B?.issue_code, B?.status, B?.error], ['B', 'skipped', 'left out of the plan by Ada'])
  const [issue] = await bench.store.issues.list({ issue_code: 'B' })
  assert.equal(issue?.status, 'open')
})

describe('what is said to a session', () => {
  const said = (key: string, outcome: MessageRecord['outcome'], says: string): MessageRecord => {
    return { key, name: 'answerClarification', outcome, response: says, by: 'Bob', from: 'a signal', at: SINCE }
  }

  test('is on record, and what changed nothing is in the log, with who said it, when and from where', async (t) => {
    const bench = await opened(t)
    const all = [
      said('said/1', 'refused', 'there is no open question A-q9'),
      said('said/2', 'taken', 'A-q1'),
      said('said/3', 'repeated', 'it was answered so already'),
    ]
    await bench.run('recordMessages', { sessionId: 's1', messages: all })
    await bench.run('recordMessages', { sessionId: 's1', messages: all })
    assert.deepEqual(await bench.store.messages.listForSession('s1'), all)
    const events = await eventsOf(bench, 'fix_message_refused')
    assert.deepEqual(
      events.map(({ message }) => message),
      [
        'answerClarification by Bob, from a signal: refused, there is no open question A-q9',
        'answerClarification by Bob, from a signal: it was answered so already',
      ],
    )
    assert.equal(events[0]?.data.at, '2026-11-18T12:00:00.000Z')
  })

  test('after its end fails nothing, and comes after no last event', async (t) => {
    const bench = await opened(t)
    await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })
    const last = await bench.store.events.findLast('s1')
    await bench.run('recordMessages', {
      sessionId: 's1',
      messages: [said('said/1', 'refused', 'the session is at its end')],
    })
    assert.deepEqual(await bench.store.events.findLast('s1'), last)
    assert.equal((await bench.store.messages.listForSession('s1')).length, 1)
  })

  test('is written down beside whatever takes long', async (t) => {
    const bench = await setBench(t)
    const id = `s-${randomUUID()}`
    const [begun, go] = ['begun', 'go'].map((name) => join(bench.home, name))
    const commands = [`touch ${begun}; while [ ! -e ${go} ]; do sleep 0.05; done`]
    await bench.session(id, FILES, verifiedBy(commands, { timeout_seconds: 60 }))
    const { base } = await bench.run('openSession', { sessionId: id })
    // As in one worker: all of them take turns, but for what only writes down.
    const { verifyBaseline, recordMessages } = createSessionActivities(bench.shop)
    const run = <In, Out>(activity: (input: In) => Promise<Out>, input: In): Promise<Out> =>
      new MockActivityEnvironment({}, { logger: QUIET }).run(activity, input)
    const long = run(verifyBaseline, { sessionId: id, stepId: 'base', head: base })
    await until('the check has begun', () => existsSync(`${begun}`))
    await run(recordMessages, { sessionId: id, messages: [said('said/1', 'refused', 'no')] })
    assert.equal((await bench.store.messages.listForSession(id)).length, 1)
    bench.write({ go: '' }, bench.home)
    assert.equal((await long).verdict, 'passed')
  })
})
