// What the client does where no worker answers, and where there is nobody to be told: on a real server, without any worker.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { Client, Connection, defaultPayloadConverter } from '@temporalio/client'
import { createSessionClient } from '../../src/client/session-client.ts'
import { sendSessionMessage } from '../../src/client/session-messages.ts'
import { FixwrightError } from '../../src/domain/errors/fixwright-error.ts'
import { sharedTemporal } from '../support/temporal.ts'

describe('telling a session something', { concurrency: 4 }, () => {
  let connection: Connection
  let client: Client

  before(async () => {
    const { address, namespace } = await sharedTemporal()
    connection = await Connection.connect({ address })
    client = new Client({ connection, namespace })
  })
  after(() => connection.close())

  async function startedUnderNobody(sessionId: string) {
    const workflowId = `fix-session/${randomUUID()}`
    const options = { workflowId, taskQueue: `nobody-${workflowId}`, memo: { sessionId } }
    const handle = await client.workflow.start('fixSession', { ...options, args: [{ sessionId }] })
    return { workflowId, handle }
  }

  test('where no worker is there it goes as a signal soon, and Temporal keeps it, with who said it and from where', async (t) => {
    const { workflowId, handle } = await startedUnderNobody('fx-1')
    const patience: number[] = []
    const { withDeadline } = client
    t.mock.method(client, 'withDeadline', (deadline: number, work: () => Promise<unknown>) => {
      patience.push(deadline - Date.now())
      return withDeadline.call(client, deadline, work)
    })
    const told = await sendSessionMessage(
      client,
      workflowId,
      'answerClarification',
      { answers: { 'A-q1': 'yes' }, by: 'kim' },
      { sessionId: 'fx-1' },
    )
    assert.deepEqual(told, { kind: 'sent' })
    assert.ok(patience.length === 1 && patience[0]! <= 1_000, 'nobody is waited for who is not there')
    const { events } = await handle.fetchHistory()
    const signals = (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signal }) => signal ?? [])
    assert.deepEqual(
      signals.map(({ signalName }) => signalName),
      ['answerClarification'],
    )
    const [payload] = signals[0]?.input?.payloads ?? []
    assert.ok(payload)
    assert.deepEqual(defaultPayloadConverter.fromPayload(payload), {
      answers: { 'A-q1': 'yes' },
      by: 'kim',
      from: `script on ${hostname()}`,
    })
    await handle.terminate()
  })

  test('how far a session is can not be said without a worker, and that is what the error says', async (t) => {
    const { workflowId, handle } = await startedUnderNobody('fx-1')
    const hurried = new Client({ connection, namespace: client.options.namespace })
    const { withDeadline } = hurried
    t.mock.method(hurried, 'withDeadline', (_: number, work: () => Promise<unknown>) =>
      withDeadline.call(hurried, Date.now() + 200, work),
    )
    await assert.rejects(createSessionClient(hurried).session(workflowId).view(), (error: Error) => {
      assert.ok(error instanceof FixwrightError, String(error))
      assert.match(error.message, /no worker has said within 5 s how far \S+ is: run "fixwright up"/)
      return error.code === 'instance_unavailable'
    })
    await handle.terminate()
  })

  test('what can not be understood is refused before anything is sent', async () => {
    const { workflowId, handle } = await startedUnderNobody('fx-2')
    assert.match(
      JSON.stringify(await sendSessionMessage(client, workflowId, 'answerClarification', {})),
      /refused.*it holds no answer, and does not skip/,
    )
    assert.match(
      JSON.stringify(await sendSessionMessage(client, workflowId, 'decidePlan', { decision: 'reject' })),
      /refused.*needs a reason/,
    )
    const paths = { decision: 'reject' as const, paths: ['a'] }
    assert.match(
      JSON.stringify(await sendSessionMessage(client, workflowId, 'decideScope', paths)),
      /refused.*names no paths/,
    )
    const { events } = await handle.fetchHistory()
    assert.ok((events ?? []).every((event) => !event.workflowExecutionSignaledEventAttributes))
    await handle.terminate()
  })

  test('a later session of the same work has the same workflow id, and is not told what was meant for the earlier [S2-32]', async () => {
    const { workflowId, handle } = await startedUnderNobody('fx-later')
    assert.deepEqual(await sendSessionMessage(client, workflowId, 'cancel', {}, { sessionId: 'fx-earlier' }), {
      kind: 'ended',
    })
    const { events } = await handle.fetchHistory()
    assert.ok((events ?? []).every((event) => !event.workflowExecutionSignaledEventAttributes))
    await handle.terminate()
  })

  test('a session that has ended, or never was, can not be told anything', async () => {
    const { workflowId, handle } = await startedUnderNobody('fx-3')
    await handle.terminate()
    assert.deepEqual(await sendSessionMessage(client, workflowId, 'decidePlan', { decision: 'approve' }), {
      kind: 'ended',
    })
    assert.deepEqual(await sendSessionMessage(client, 'fix-session/never', 'cancel', { reason: 'no' }), {
      kind: 'ended',
    })
  })
})
