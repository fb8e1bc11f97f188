// Webhooks of a home, with a receiver in a process of its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { createToken } from '../../src/app/access/tokens.ts'
import type { WebhookMessage } from '../../src/domain/webhook/webhook.ts'
import { toDeliveryId } from '../../src/domain/workflow-types/index.ts'
import { ask, serveStage } from '../server/support.ts'
import { checkInvariants } from '../support/invariants.ts'
import { kill } from '../support/killing.ts'
import { setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'
import { startWebhookReceiver } from '../support/webhook-receiver.ts'

test('a receiver is told, signed, of a decision that is awaited, of issues that change and of the session’s end', {
  timeout: 120_000,
}, async (t) => {
  const { url, received } = await startWebhookReceiver(t)
  const stage = await setMadeStage(t, 1, {
    environment: {
      FIXWRIGHT_WEBHOOKS_PRIVATE_HOSTS: '["127.0.0.1"]',
      FIXWRIGHT_WEBHOOKS_RETRY_AFTER_SECONDS: '[0.2, 0.2, 0.2]',
    },
  })
  const webhook = async (status: number, ...args: string[]) => {
    const ended = await stage.command('webhook', ...args, '--json').ended
    assert.equal(ended.status, status, ended.stderr)
    return status === 2 ? ended.stdout + ended.stderr : JSON.parse(ended.stdout)
  }
  const all = await webhook(0, 'add', `${url}/flaky`)
  const gone = await webhook(0, 'add', `${url}/gone`, '--events', 'issue.changed')
  const within = await webhook(0, 'add', `https://localhost:${new URL(url).port}/ok`, '--events', 'session.ended')
  for (const refused of [
    `http://10.0.0.1/`,
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'file:///etc',
  ])
    assert.match(await webhook(2, 'add', refused), /the webhook can't go/)
  assert.match(
    await webhook(2, 'add', url, '--events', 'everything'),
    /session\.ended, decision\.awaited, issue\.changed/,
  )
  // It answers 503 first, and there is no second try of a test.
  assert.deepEqual(await webhook(1, 'test', all.webhook_id), { kind: 'failed', because: 'it answered 503', tries: 1 })
  assert.deepEqual(await webhook(0, 'test', all.webhook_id), { kind: 'delivered', status: 204, tries: 1 })
  const { kind, because } = await webhook(1, 'test', within.webhook_id)
  assert.deepEqual([kind, /of this machine/.test(because)], ['failed', true])

  const fix = stage.start(stage.made.findings, ['--approve-plan'])
  const told = (type: string) =>
    received.filter(({ path, body }) => path === '/flaky' && JSON.parse(body).type === type)
  await until('the decision is told of', () => told('decision.awaited').length === 1)
  const [session] = await stage.sessions()
  const id = session?.session_id ?? ''
  assert.equal((await stage.command('plan', id, '--approve', '--json').ended).status, 0)
  assert.equal((await fix.ended).status, 0)
  await until('the end is told of', () => told('session.ended').length === 1)
  await until(
    'all of it is told',
    async () => (await stage.read((store) => store.webhooks.listMessages(9))).length === 0,
  )

  const toData = (type: string) => told(type).map(({ body }) => JSON.parse(body).data)
  const [awaited] = toData('decision.awaited')
  assert.deepEqual([awaited.session_id, awaited.decision], [id, 'plan'])
  const [ended] = toData('session.ended')
  assert.deepEqual([ended.session_id, ended.status, ended.kind], [id, 'completed', 'fix'])
  const changes = toData('issue.changed').map(({ issue_code, was, status }) => [issue_code, was, status])
  assert.deepEqual(changes.sort(), [
    ['T-001', 'in_progress', 'resolved'],
    ['T-001', 'open', 'in_progress'],
  ])
  const verifier = new Verifier(all.secret)
  for (const { headers, body } of received.filter(({ path }) => path === '/flaky'))
    verifier.verify(body, headers as Record<string, string>)
  const ids = received.filter(({ path }) => path === '/flaky').map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(ids).size, ids.length)

  // 410 ends a webhook, and what is refused by our own rules was never sent.
  assert.equal(received.filter(({ path }) => path === '/gone').length, 1)
  assert.equal(received.filter(({ path }) => path === '/ok').length, 0)
  const listed: readonly { readonly webhook_id: string; readonly disabled_because?: string }[] = await webhook(
    0,
    'list',
  )
  assert.match(listed.find(({ webhook_id }) => webhook_id === gone.webhook_id)?.disabled_because ?? '', /410/)
  assert.equal(JSON.stringify(listed).includes('whsec_'), false)
  await webhook(0, 'remove', all.webhook_id)
  assert.match(await webhook(2, 'remove', all.webhook_id), /there is no webhook/)
  await checkInvariants(stage)
})

test('a try that failed is made again, later, as the same message, though the worker died before it had noted that all are begun', {
  timeout: 120_000,
}, async (t) => {
  const { url, received } = await startWebhookReceiver(t)
  const stage = await setMadeStage(t, 1, {
    environment: {
      FIXWRIGHT_WEBHOOKS_PRIVATE_HOSTS: '["127.0.0.1"]',
      FIXWRIGHT_WEBHOOKS_RETRY_AFTER_SECONDS: '[3, 60]',
    },
  })
  const client = await stage.client()
  const added = await stage.command('webhook', 'add', `${url}/each`, '--events', 'session.ended', '--json').ended
  const { webhook_id } = JSON.parse(added.stdout)
  const fix = stage.start(stage.made.findings)
  const told = () => received.filter(({ body }) => JSON.parse(body).type === 'session.ended')
  await until('the end is told of', () => told().length === 1)
  const toId = (index: number) => `${told()[index]?.headers['webhook-id']}`
  const delivery = client.workflow.getHandle(toDeliveryId(webhook_id, { message_id: toId(0) } as WebhookMessage))
  await until('it waits for its second try', async () =>
    ((await delivery.fetchHistory()).events ?? []).some((event) => event.timerStartedEventAttributes),
  )
  kill(stage, ['worker'])
  const left = await stage.read((store) => store.webhooks.listMessages(9))
  assert.ok(
    left.some(({ message_id }) => message_id === toId(0)),
    'the worker died too late',
  )
  assert.equal((await fix.ended).status, 0)
  // Starts a successor. Of a test, the first try fails, too.
  assert.equal((await stage.command('webhook', 'test', webhook_id, '--json').ended).status, 1)
  assert.deepEqual(await delivery.result(), { kind: 'delivered', status: 204, tries: 2 })
  assert.deepEqual([told().length, toId(1)], [2, toId(0)])
  const [first = 0, second = 0] = told().map(({ headers }) => Number(headers['webhook-timestamp']))
  assert.ok(second - first >= 3, `${second - first} s`)
  await until('its message is gone', async () => {
    return (await stage.read((store) => store.webhooks.listMessages(9))).length === 0
  })
  await checkInvariants(stage)
})

test('a try whose worker is killed before there is an answer is made again by its successor within seconds', {
  timeout: 90_000,
}, async (t) => {
  const { url, received } = await startWebhookReceiver(t)
  const stage = await setMadeStage(t, 1, {
    environment: {
      FIXWRIGHT_WEBHOOKS_PRIVATE_HOSTS: '["127.0.0.1"]',
      FIXWRIGHT_WEBHOOKS_RETRY_AFTER_SECONDS: '[3600]',
      FIXWRIGHT_WEBHOOKS_TIMEOUT_SECONDS: '60',
    },
  })
  const added = await stage.command('webhook', 'add', `${url}/silent`, '--events', 'session.ended', '--json').ended
  assert.equal(added.status, 0, added.stderr)
  const fix = stage.start(stage.made.findings)
  await until('the end is told of', () => received.length === 1)
  kill(stage, ['worker'])
  const killedAt = Date.now()
  await fix.ended
  const up = stage.command('up')
  await until('it is told of again', () => received.length === 2)
  assert.ok(Date.now() - killedAt < 60_000, 'before the try would have been over')
  const [first, second] = received.map(({ headers }) => headers['webhook-id'])
  assert.equal(second, first)
  up.child.kill('SIGINT')
  await up.ended
  await checkInvariants(stage)
})

test('webhooks of the API: a token adds them, a failed try follows in the same workflow, nothing is followed, who may is decided', {
  timeout: 120_000,
}, async (t) => {
  const { url, received } = await startWebhookReceiver(t)
  const stage = await setMadeStage(t, 1, {
    environment: {
      FIXWRIGHT_WEBHOOKS_PRIVATE_HOSTS: '["127.0.0.1"]',
      FIXWRIGHT_WEBHOOKS_RETRY_AFTER_SECONDS: '[0.2]',
    },
  })
  const api = await serveStage(stage)
  const { text: viewer } = await createToken(api.app, { name: 'v', role: 'viewer', expires: '1h' })
  const webhook = { url: `${url}/flaky`, events: ['session.ended'] }
  const asViewer = await ask(api.url, '/api/webhooks', { method: 'POST', token: viewer, body: webhook })
  assert.equal(asViewer.status, 403)
  for (const inside of ['http://169.254.169.254/latest', 'http://10.0.0.7/hook', 'https://[::1]:8443/hook']) {
    const refused = await api.post('/api/webhooks', { ...webhook, url: inside })
    assert.ok(refused.status >= 400 && refused.status < 500, `${inside}: ${refused.text}`)
  }
  const made = await api.post('/api/webhooks', webhook)
  assert.equal(made.status, 201, made.text)
  assert.match(made.body.secret, /^whsec_/)
  const moved = await api.post('/api/webhooks', { ...webhook, url: `${url}/moved` })
  const listed = await api.get('/api/webhooks')
  assert.equal(listed.body.items.length, 2)
  assert.ok(!listed.text.includes('whsec_'), 'a secret is shown once')

  await stage.fix(stage.made.findings)
  const tries = (path: string) => received.filter((each) => each.path === path)
  await until('each was tried twice', () => tries('/flaky').length === 2 && tries('/moved').length === 2)
  const verifier = new Verifier(made.body.secret)
  for (const { headers, body } of tries('/flaky')) verifier.verify(body, headers as Record<string, string>)
  const [id, ...others] = new Set(tries('/flaky').map(({ headers }) => headers['webhook-id']))
  assert.deepEqual(others, [], 'a receiver knows the same message again')
  const client = await stage.client()
  const workflow = client.workflow.getHandle(`webhook/${made.body.webhook.webhook_id}/${id}`)
  assert.deepEqual(await workflow.result(), { kind: 'delivered', status: 204, tries: 2 })
  const given = client.workflow.getHandle(`webhook/${moved.body.webhook.webhook_id}/${id}`)
  assert.deepEqual(await given.result(), { kind: 'failed', because: 'it answered 302', tries: 2 })
  assert.equal(tries('/ok').length, 0, 'nothing is followed')
  await checkInvariants(stage)
})
