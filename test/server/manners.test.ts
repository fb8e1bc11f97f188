// HTTP manners: requests that are sent again, what a client accepts, and conditions of changes.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { claimRequestKey } from '../../src/app/access/request-keys.ts'
import { openStore } from '../../src/store/open-store.ts'
import { addSession, endSession } from '../cli/support.ts'
import { temporaryFolder } from '../store/support.ts'
import { serveDesk } from './support.ts'

const NEW_TOKEN = { name: 'ci', role: 'viewer', expires: '1h' }

describe('HTTP manners', { concurrency: 2 }, () => {
  test('a request that is sent again with its Idempotency-Key does nothing and is answered as the first time', async (t) => {
    const { ask, store, tokens } = await serveDesk(t)
    const send = (key: string, body: object = NEW_TOKEN, more: object = {}) =>
      ask('/api/tokens', { method: 'POST', body, headers: { 'idempotency-key': key }, ...more })
    const count = async () => (await store.tokens.list()).length
    const before = await count()
    const key = randomUUID()
    const first = await send(key)
    assert.equal(first.status, 201, first.text)
    assert.equal(first.headers['idempotency-replayed'], undefined)
    const again = await send(key)
    assert.deepEqual([again.status, again.text], [201, first.text])
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.match(`${again.headers['content-type']}`, /^application\/json/)
    assert.equal(await count(), before + 1)

    const other = await send(key, { ...NEW_TOKEN, name: 'other' })
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
    const elsewhere = await ask('/api/webhooks', {
      method: 'POST',
      body: NEW_TOKEN,
      headers: { 'idempotency-key': key },
    })
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [422, 'idempotency_key_reused'])
    const stranger = await send(key, NEW_TOKEN, { token: tokens.operator })
    assert.equal(stranger.status, 403, 'the gate comes first')
    assert.equal((await send(key, NEW_TOKEN, { token: first.body.text })).status, 403)

    const refused = await send('refused', { ...NEW_TOKEN, name: '' })
    assert.equal(refused.status, 400)
    assert.equal((await send('refused')).status, 201, 'what was refused is tried anew')
    for (const wrong of ['', 'a b', 'x'.repeat(256)]) {
      const answer = await send(wrong)
      assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [400, '/header/idempotency-key'], wrong)
    }
  })

  test('an Idempotency-Key is taken once however many send it at a time, and no answer can be read in the store', async (t) => {
    const { ask, store, home } = await serveDesk(t)
    const before = (await store.tokens.list()).length
    const headers = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask('/api/tokens', { method: 'POST', body: NEW_TOKEN, headers })),
    )
    const made = answers.filter(({ status }) => status === 201)
    assert.ok(made.length >= 1)
    assert.equal(new Set(made.map(({ text }) => text)).size, 1)
    for (const { status, body } of answers.filter((answer) => !made.includes(answer)))
      assert.deepEqual([status, body.code], [409, 'request_in_flight'])
    assert.equal((await store.tokens.list()).length, before + 1)
    const [, , secret = ''] = made[0]?.body.text.split('_') ?? []
    const kept = [home.database, `${home.database}-wal`].map((file) => readFileSync(file).toString('latin1')).join('')
    assert.ok(secret.length === 43 && !kept.includes(secret))
  })

  test('a client gets a form that it accepts, or 406', async (t) => {
    const { ask } = await serveDesk(t)
    for (const [path, accept, status] of [
      ['/api/version', undefined, 200],
      ['/api/version', '*/*', 200],
      ['/api/version', 'application/*;q=0.1', 200],
      ['/api/version', 'text/html, application/json;q=0.9', 200],
      ['/api/version', 'text/html', 406],
      ['/api/version', 'application/json;q=0, */*', 406],
      ['/api/health', 'image/png', 406],
      ['/api/events', 'application/json', 406],
      ['/api/sessions/fx-none/events', 'application/json', 406],
      ['/api/sessions/fx-none/report', 'text/markdown', 404],
      ['/docs', 'image/png', 200],
    ] as const) {
      const answer = await ask(path, accept === undefined ? {} : { headers: { accept } })
      assert.equal(answer.status, status, `${path} ${accept}: ${answer.text.slice(0, 200)}`)
      if (status !== 406) continue
      assert.equal(answer.body.code, 'not_acceptable')
      assert.match(`${answer.headers['content-type']}`, /problem\+json/)
    }
  })

  test('a change says which state it is about, and each condition has an answer of its own', async (t) => {
    const desk = await serveDesk(t)
    const [issue_id] = await addSession(desk, 'fx-1', ['A'])
    await endSession(desk, 'fx-1')
    const patch = (headers: Readonly<Record<string, string>>, id = issue_id) =>
      desk.ask(`/api/fix/issues/${id}`, { method: 'PATCH', body: { resolution_note: 'seen' }, headers })
    const { etag = '' } = (await desk.ask(`/api/issues/${issue_id}`)).headers
    for (const [headers, status, code] of [
      [{}, 428, 'if_match_required'],
      [{ 'if-match': '"of another state"' }, 412, 'issue_changed'],
      [{ 'if-match': `W/${etag}` }, 412, 'issue_changed'],
      [{ 'if-match': `${etag}` }, 200, undefined],
      [{ 'if-match': `${etag}` }, 412, 'issue_changed'],
      [{ 'if-match': '*' }, 200, undefined],
    ] as const) {
      const answer = await patch(headers)
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(headers))
      if (status === 412) assert.equal(answer.headers.etag, answer.body.current.etag)
    }
    assert.equal((await patch({ 'if-match': '*' }, 'iss-none')).status, 404)
  })
})

test('a key is busy while its request runs in any process, also long, and free a minute after that process was killed', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() })
  const store = await openStore(`${temporaryFolder(t)}/store.db`)
  t.after(() => store.close())
  const request = { token: 'fxw_a_b', key: 'k', content: 'POST it' }
  const claim = () => claimRequestKey({ store }, request)
  const running = await claim()
  assert.ok(running.kind === 'free')
  for (let minute = 0; minute < 3; minute += 1) {
    for (let part = 0; part < 3; part += 1) {
      t.mock.timers.tick(20_000)
      await store.tokens.list()
    }
    assert.equal((await claim()).kind, 'in_flight')
  }
  await running.keep({ status: 201, headers: {}, body: 'done' })
  t.mock.timers.tick(86_399_000)
  const kept = await claim()
  assert.ok(kept.kind === 'answered' && kept.answer.body === 'done')
  t.mock.timers.tick(2_000)
  const afterADay = await claim()
  assert.ok(afterADay.kind === 'free')

  // A process that is killed renews nothing.
  t.mock.timers.reset()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 86_400_000 + 300_000 })
  const next = await claim()
  assert.equal(next.kind, 'free')
  await afterADay.keep({ status: 201, headers: {}, body: 'too late' })
  assert.equal((await claim()).kind, 'in_flight', 'who lost a key can not answer for it')
})
