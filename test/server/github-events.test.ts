// What comes as from GitHub: nothing of it is read before its signature counts, and each delivery is taken once.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { claimRequestKey } from '../../src/app/access/request-keys.ts'
import { formatCommandId } from '../../src/domain/forge/command-id.ts'
import { beInstance } from '../app/instance/support.ts'
import { DEFAULT_SETTINGS } from '../support/store.ts'
import { until } from '../support/until.ts'
import { serveDesk } from './support.ts'

const SECRET = 'a secret of the webhook'
const sign = (body: string, secret = SECRET, hash = 'sha256') =>
  `${hash}=${createHmac(hash, secret).update(body).digest('hex')}`

test('a delivery counts only with the signature of all its bytes, by the secret that the file has now, and once', async (t) => {
  const desk = await serveDesk(t)
  let count = 0
  const post = async (text: string, more: Readonly<Record<string, string>> = {}) => {
    count += 1
    const headers = {
      ...{ 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` },
      ...{ 'x-github-event': 'ping', 'x-github-delivery': `delivery-${count}`, 'x-hub-signature-256': sign(text) },
      ...more,
    }
    const { status, body } = await desk.ask('/api/github/webhook', { method: 'POST', token: '', body: text, headers })
    return [status, status === 202 ? body.done : body.code, status === 202 ? body.because : body.detail]
  }
  const ping = '{"zen": "Größe – über"}'
  assert.deepEqual((await post(ping)).slice(0, 2), [401, 'signature_invalid'], 'this home has no secret')
  const file = join(desk.folder, 'secret')
  writeFileSync(file, `${SECRET}\n`)
  writeFileSync(desk.home.settingsFile, `github:\n  webhook_secret_file: ${file}\n`)
  assert.deepEqual(await post(ping), [202, 'nothing', 'nothing follows from ping'])
  for (const wrong of [
    { 'x-hub-signature-256': sign(`${ping} `) },
    { 'x-hub-signature-256': sign(ping, 'another') },
    { 'x-hub-signature-256': sign(ping, SECRET, 'sha1') },
    { 'x-hub-signature-256': sign(ping).toUpperCase() },
    { 'x-hub-signature-256': sign(ping).slice(0, -1) },
    { 'x-hub-signature-256': '' },
  ]) {
    assert.deepEqual((await post(ping, wrong)).slice(0, 2), [401, 'signature_invalid'], JSON.stringify(wrong))
  }
  // Whoever has the secret may be wrong, too.
  assert.deepEqual((await post('{"a":')).slice(0, 2), [400, 'bad_input'])
  assert.deepEqual((await post(ping, { 'x-github-delivery': '' })).slice(0, 2), [400, 'bad_input'])

  const same = { 'x-github-delivery': 'delivery-of-a-ping' }
  assert.equal((await post(ping, same))[1], 'nothing')
  assert.deepEqual((await post(ping, same)).slice(0, 2), [202, 'repeated'])
  const begun = { token: SECRET, key: 'github delivery-begun', content: Buffer.from(ping) }
  assert.equal((await claimRequestKey(desk.app, begun)).kind, 'free', 'a server that is killed now')
  assert.equal(
    (await post(ping, { 'x-github-delivery': 'delivery-begun' }))[1],
    'nothing',
    'it counts when it comes again',
  )
  const comment = (more: object) =>
    JSON.stringify({
      ...{ action: 'created', repository: { full_name: 'acme/shop' }, issue: { number: 1, pull_request: {} } },
      ...{ comment: { id: 5, body: '/fix' }, ...more },
    })
  const as = { 'x-github-event': 'issue_comment' }
  assert.match(`${await post(comment({ action: 'edited' }), as)}`, /nothing,.*later changes nothing/)
  assert.match(`${await post(comment({ issue: { number: 1 } }), as)}`, /nothing,.*not on a pull request/)
  const led = comment({ repository: { full_name: 'acme/../../x' } })
  assert.match(`${await post(led, as)}`, /nothing,.*no comment as GitHub describes one/)

  writeFileSync(file, 'another one')
  assert.equal((await post(ping))[0], 401, 'the old one counts no more')
  assert.equal((await post(ping, { 'x-hub-signature-256': sign(ping, 'another one') }))[0], 202)
  rmSync(file)
  const [status, code, detail] = await post(ping)
  assert.deepEqual([status, code], [500, 'forge_not_signed_in'], 'a secret that was given and is gone is trouble')
  assert.ok(!`${detail}`.includes(desk.folder), `anybody is told ${detail}`)
  const reason = `webhook_secret_file names ${file}`
  await until('the log has the reason', () => readFileSync(join(desk.home.logs, 'server.log'), 'utf8').includes(reason))
})

test('a comment that starts a command is in the audit once, by who wrote it and with its place', async (t) => {
  const desk = await serveDesk(t)
  await beInstance(desk.home)
  const file = join(desk.folder, 'secret')
  writeFileSync(file, SECRET)
  writeFileSync(desk.home.settingsFile, `github:\n  webhook_secret_file: ${file}\n  commands: true\n`)
  const id = Date.now()
  const body = JSON.stringify({
    ...{ action: 'created', repository: { full_name: 'acme/shop' }, issue: { number: 7, pull_request: {} } },
    ...{ comment: { id, body: '/fix F001' }, sender: { login: 'bob', id: 8 } },
  })
  const post = async (delivery: string) => {
    const headers = {
      ...{ 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` },
      ...{ 'x-github-event': 'issue_comment', 'x-github-delivery': delivery, 'x-hub-signature-256': sign(body) },
    }
    return (await desk.ask('/api/github/webhook', { method: 'POST', token: '', body, headers })).body
  }
  assert.deepEqual(await post('first-delivery'), { done: 'started' })
  assert.equal((await post('first-delivery')).done, 'repeated')
  assert.equal((await post('another-delivery')).done, 'repeated')
  const { client } = await desk.app.instance.connect(DEFAULT_SETTINGS)
  const remote = 'https://github.com/acme/shop.git'
  await client.workflow.getHandle(formatCommandId({ remote, number: 7, commentId: id })).terminate()
  const { items } = (await desk.ask('/api/audit')).body
  assert.deepEqual(
    items.map(({ by, method, path, status }: Record<string, unknown>) => ({ by, method, path, status })),
    [
      {
        by: 'github:bob',
        method: 'POST',
        path: `/api/github/webhook#acme/shop/pull/7#issuecomment-${id}`,
        status: 202,
      },
    ],
  )
})
