// Deliveries that no worker takes, and where they may go. Real store and Temporal; the names are resolved as the test says.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { type TestContext, test } from 'node:test'
import { Client, Connection } from '@temporalio/client'
import { MockActivityEnvironment } from '@temporalio/testing'
import { NativeConnection } from '@temporalio/worker'
import { createWebhookActivities } from '../../../src/activities/webhook/send-webhook.ts'
import type { AppContext } from '../../../src/app/context.ts'
import { testWebhook } from '../../../src/app/webhooks.ts'
import type { WebhookMessage } from '../../../src/domain/webhook/webhook.ts'
import { toDeliveryId, type WebhookTry } from '../../../src/domain/workflow-types/index.ts'
import { post } from '../../../src/platform/web/post.ts'
import { openHome } from '../../../src/runtime/home/home.ts'
import { dispatchWebhooks } from '../../../src/runtime/worker/dispatch-webhooks.ts'
import { temporaryFolder, temporaryStore } from '../../store/support.ts'
import { DEFAULT_SETTINGS, insertSession, newSession } from '../../support/store.ts'
import { sharedTemporal } from '../../support/temporal.ts'
import { until } from '../../support/until.ts'

const WEBHOOK = {
  webhook_id: 'wh_0123456789abcdef',
  url: 'https://hooks.example.com/',
  events: ['session.ended' as const],
  secret: 'whsec_AAAA',
  created_by: 'a test',
  created_at: '2026-01-01T00:00:00.000Z',
}

test('a delivery that goes on for days is asked for no longer than the instance stays for it', async (t) => {
  const { endLater } = await connect(t)
  const { address, namespace } = await sharedTemporal()
  // As in a worker: its calls do not end when they are told to.
  const connection = await NativeConnection.connect({ address })
  t.after(() => connection.close())
  const client = new Client({ connection, namespace })
  const store = await temporaryStore(t)
  await store.webhooks.add(WEBHOOK)
  await insertSession(store, newSession('s1'))
  await store.sessions.update('s1', { status: 'completed' })
  const [message] = await store.webhooks.listMessages(9)
  assert.ok(message)
  endLater(WEBHOOK.webhook_id, message)
  const nobody = `nobody-${randomUUID()}`
  const log = { debug: () => undefined, info: () => undefined, warn: assert.fail, error: assert.fail }
  const settings = DEFAULT_SETTINGS.webhooks
  const end = dispatchWebhooks({ store, client, settings, taskQueue: nobody, hostQueue: nobody, log: log as never })
  await until('it has begun', async () => (await store.webhooks.listMessages(9)).length === 0)
  await end()
})

test('a test of a webhook waits for as long as a try may take, and no longer', async (t) => {
  const { client, waiting, endLater } = await connect(t)
  const store = await temporaryStore(t)
  await store.webhooks.add(WEBHOOK)
  const nobody = `nobody-${randomUUID()}`
  const env = { FIXWRIGHT_HOME: temporaryFolder(t), FIXWRIGHT_WEBHOOKS_TIMEOUT_SECONDS: '1' }
  const start = client.workflow.start.bind(client.workflow)
  t.mock.method(client.workflow, 'start', async (type: never, options: { args: [{ message: WebhookMessage }] }) => {
    endLater(WEBHOOK.webhook_id, options.args[0].message)
    return await start(type, options as never)
  })
  const app = {
    store,
    env,
    home: openHome(env),
    flags: {},
    instance: { connect: async () => ({ client, instance: { taskQueue: nobody, hostQueue: nobody } }) },
  } as unknown as AppContext
  await assert.rejects(testWebhook(app, WEBHOOK.webhook_id), {
    code: 'instance_unavailable',
    message: 'no worker has tried the webhook within 6 s',
  })
  assert.equal(waiting(), 0)
})

test('a name that leads to a private address for a moment fails a try; a private address itself ends a delivery', async (t) => {
  const store = await temporaryStore(t)
  const { sendWebhook } = createWebhookActivities(store, DEFAULT_SETTINGS.webhooks)
  const environment = new MockActivityEnvironment()
  resolveTo(t, async () => [{ address: '10.0.0.1', family: 4 }])
  const message = { message_id: 'msg_1', type: 'webhook.test', at: WEBHOOK.created_at, data: {} } as const
  const outcomes = []
  for (const [index, url] of ['https://hooks.example.com/', 'https://10.0.0.1/', 'https://[::a00:1]/'].entries()) {
    const webhookId = `wh_${index}`
    await store.webhooks.add({ ...WEBHOOK, webhook_id: webhookId, url })
    const { kind } = (await environment.run(sendWebhook, { webhookId, message })) as WebhookTry
    outcomes.push([url, kind])
  }
  assert.deepEqual(Object.fromEntries(outcomes), {
    'https://hooks.example.com/': 'failed',
    'https://10.0.0.1/': 'dropped',
    'https://[::a00:1]/': 'dropped',
  })
})

test('a name without an answer of DNS counts among the time of its try', { timeout: 20_000 }, async (t) => {
  resolveTo(t, () => new Promise(() => undefined))
  const url = 'https://hooks.example.com/'
  assert.deepEqual(await post({ url, headers: {}, body: '', timeoutMs: 100, mayBePrivate: false }), {
    kind: 'failed',
    reason: 'hooks.example.com was not resolved within 0.1 s',
  })
})

function resolveTo(t: TestContext, lookup: () => Promise<unknown>): void {
  t.mock.method(dns, 'lookup', lookup)
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
}

/** `waiting`: how many questions for the end of a workflow are open. */
async function connect(t: TestContext) {
  const { address, namespace } = await sharedTemporal()
  const connection = await Connection.connect({ address })
  const client = new Client({ connection, namespace })
  const ends: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const end of ends) await end()
    await connection.close()
  })
  const service = connection.workflowService
  const ask = service.getWorkflowExecutionHistory.bind(service)
  let open = 0
  t.mock.method(service, 'getWorkflowExecutionHistory', async (request: never) => {
    open += 1
    try {
      return await ask(request)
    } finally {
      open -= 1
    }
  })
  return {
    client,
    waiting: () => open,
    endLater: (webhookId: string, message: WebhookMessage) =>
      void ends.push(() => client.workflow.getHandle(toDeliveryId(webhookId, message)).terminate('the test is over')),
  }
}
