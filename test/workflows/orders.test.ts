// What the workflow makes of what anybody starts it with: the real one on a real server, with activities that answer what a test says.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ApplicationFailure, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client'
import { createSessionClient, RefusedError } from '../../src/client/index.ts'
import type { CreateSessionOutcome } from '../../src/domain/workflow-types/index.ts'
import type { History } from '../support/session.ts'
import { gate, type Stubs, stubSession } from '../support/stub-session.ts'
import { until } from '../support/until.ts'

const ORDER = { repository: '/work/app', findings: [] }

/** Answers an order so, and notes what came as one. */
function answering(outcome: CreateSessionOutcome) {
  const orders: unknown[] = []
  const createSession: Stubs['createSession'] = async ({ order }) => {
    orders.push(order)
    return outcome
  }
  return { orders, createSession }
}

async function ordered(t: TestContext, outcome: CreateSessionOutcome, input: unknown = ORDER, stubs: Stubs = {}) {
  const { orders, createSession } = answering(outcome)
  const session = await stubSession(t, {}, { createSession, ...stubs }, input)
  return { ...session, orders, handle: createSessionClient(session.client).session(session.workflowId) }
}

const REFUSED = { kind: 'refused', code: 'bad_input', problems: ['no', 'not this either'] } as const
const SUMMARY = { sessionId: 'fx-earlier', status: 'completed', requested: 1, fixed: 1, failed: 0, skipped: 0 } as const

test('an order that is refused fails the workflow, for good, with its code and all problems', async (t) => {
  const { ended, handle, orders } = await ordered(t, REFUSED)
  await assert.rejects(ended(), ({ cause }: WorkflowFailedError) => {
    const { type, nonRetryable, message, details } = cause as ApplicationFailure
    assert.deepEqual([type, nonRetryable, message], ['bad_input', true, 'no\nnot this either'])
    assert.deepEqual(details, [REFUSED.problems])
    return true
  })
  assert.deepEqual(orders, [ORDER])
  await assert.rejects(handle.result(), (error: Error) => {
    assert.ok(error instanceof RefusedError)
    assert.deepEqual([error.code, error.problems], ['bad_input', REFUSED.problems])
    return true
  })
})

for (const input of [null, 7, 'x', [], {}, { sessionId: 5 }, { sessionId: '' }, { sessionId: 'fx-1', more: 1 }]) {
  test(`${JSON.stringify(input)} is looked at as an order, and fails no task`, async (t) => {
    const { ended, orders } = await ordered(t, REFUSED, input)
    await assert.rejects(ended(), WorkflowFailedError)
    assert.deepEqual(orders, [input])
  })
}

test('what an earlier run carries is believed of no first run', async (t) => {
  const input = { sessionId: 'fx-1', carried: { opened: 'garbage' } }
  const { ended, orders } = await ordered(t, REFUSED, input)
  await assert.rejects(ended(), WorkflowFailedError)
  assert.deepEqual(orders, [input])
})

test('a cron schedule is refused in every run: what an earlier run carries can’t come from its input', async (t) => {
  const { client, workflowId, orders, ended } = await ordered(t, REFUSED)
  await assert.rejects(ended())
  const cron = `${workflowId}-cron`
  const args = [{ sessionId: 'fx-1', carried: { opened: 'garbage' } }]
  const options = { workflowId: cron, taskQueue: workflowId, cronSchedule: '@every 1s', args }
  const { firstExecutionRunId: first } = await client.workflow.start('fixSession', options)
  const failures: unknown[] = []
  for (let run: string | undefined = first; failures.length < 2; ) {
    const handle: WorkflowHandle = client.workflow.getHandle(cron, run)
    await until('a run ends', async () => (await handle.describe()).status.name !== 'RUNNING')
    const { events }: History = await handle.fetchHistory()
    const failed = events?.at(-1)?.workflowExecutionFailedEventAttributes
    failures.push(failed?.failure?.applicationFailureInfo?.type)
    run = failed?.newExecutionRunId ?? undefined
  }
  await client.workflow.getHandle(cron).terminate()
  assert.deepEqual([failures, orders], [['bad_input', 'bad_input'], [ORDER]])
})

test('an order whose work is done, or is being done, ends at once with that answer', async (t) => {
  assert.deepEqual(await (await ordered(t, { kind: 'answered', summary: SUMMARY })).ended(), SUMMARY)
  const joined = { sessionId: 'fx-2', status: 'joined', workflowId: 'theirs' } as const
  assert.deepEqual(await (await ordered(t, { kind: 'answered', summary: joined })).ended(), joined)
})

test('a session that was ordered works on its home’s queue, and says by its memo which it is', async (t) => {
  const queues: string[] = []
  const { workflowId, client, ended, view } = await ordered(t, {
    kind: 'created',
    sessionId: 'fx-new',
    homeQueue: 'nobody-yet',
    repository: '/work/app',
    attributes: [],
  })
  const handle = client.workflow.getHandle(workflowId)
  await until('its session is to be opened', async () => {
    const { events } = await handle.fetchHistory()
    const scheduled = events?.flatMap(({ activityTaskScheduledEventAttributes: one }) => one ?? []) ?? []
    queues.splice(
      0,
      queues.length,
      ...scheduled.map(({ activityType, taskQueue }) => `${activityType?.name} ${taskQueue?.name}`),
    )
    return queues.length === 2
  })
  assert.deepEqual(queues, [`createSession ${workflowId}`, 'openSession nobody-yet'])
  assert.equal((await view()).sessionId, 'fx-new')
  assert.deepEqual((await handle.describe()).memo, { sessionId: 'fx-new' })
  await handle.terminate()
  await assert.rejects(ended())
})

test('who cancels while an order is looked at ends the session that came of it, through its close', async (t) => {
  const looking = gate()
  const closed: string[] = []
  const session = await stubSession(
    t,
    {},
    {
      async createSession() {
        await looking.passed
        return { kind: 'created', sessionId: 'fx-new', homeQueue, repository: '/work/app', attributes: [] }
      },
      async openSession() {
        throw new Error('it is not opened')
      },
      async closeSession({ sessionId, ending }) {
        closed.push(`${sessionId} ${ending?.class}`)
        return { ...SUMMARY, sessionId, status: 'cancelled' }
      },
    },
    ORDER,
  )
  const homeQueue = session.workflowId
  await session.update('cancel', { by: 'kim' })
  assert.equal((await session.view()).phase, 'checking the order')
  looking.open()
  assert.equal(((await session.ended()) as { status: string }).status, 'cancelled')
  assert.deepEqual(closed, ['fx-new cancelled'])
  assert.deepEqual(
    session.said.map(({ name, outcome }) => `${name} ${outcome}`),
    ['cancel taken'],
  )
})
