// The gate: every route of the OpenAPI document is asked as a stranger, a viewer, a rebound name, a foreign page would.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { createTokenText, hashToken, parseTokenId } from '../../src/domain/access/access-token.ts'
import { type Answer, type ServedDesk, serveDesk } from './support.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly access: 'public' | 'signed' | 'viewer' | 'operator' | 'admin'
  readonly takesBody: boolean
  readonly headers: readonly string[]
  readonly maxBodyBytes: number
}

interface Described {
  readonly 'x-access': Operation['access']
  readonly 'x-max-body-bytes'?: number
  readonly requestBody?: object
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[]
}

/** Each with something in the place of its parameters. */
async function listOperations({ ask }: ServedDesk): Promise<Operation[]> {
  const { paths } = (await ask('/api/openapi.json')).body as { paths: Record<string, Record<string, Described>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/g, 'fx-none'),
      access: described['x-access'],
      takesBody: described.requestBody !== undefined,
      headers: (described.parameters ?? []).flatMap((each) => (each.in === 'header' ? each.name : [])),
      maxBodyBytes: described['x-max-body-bytes'] ?? 1_048_576,
    })),
  )
}

function assertProblem(what: string, answer: Answer, status: number, code: string): void {
  assert.deepEqual([answer.status, answer.body?.code], [status, code], `${what}: ${answer.text.slice(0, 300)}`)
  assert.match(`${answer.headers['content-type']}`, /^application\/problem\+json/, what)
  const { type, title, detail, request_id } = answer.body
  assert.ok(type === `/docs/problems#${code}` && title && detail && request_id, `${what}: ${answer.text}`)
}

describe('the gate', { concurrency: 2 }, () => {
  test('every route refuses who has no token, too low a role, a foreign host or origin, a wrong type, a long body', async (t) => {
    const desk = await serveDesk(t)
    const operations = await listOperations(desk)
    assert.ok(operations.length >= 8)
    for (const [index, { method, path, access, takesBody, headers, maxBodyBytes }] of operations.entries()) {
      const what = `${method} ${path}`
      const body = takesBody ? {} : undefined
      const send = (more: object) => desk.ask(path, { method, ...(body ? { body } : {}), ...more })
      const isOpen = access === 'public' || access === 'signed'
      if (!isOpen) {
        assertProblem(what, await send({ token: '' }), 401, 'token_required')
        const forged = `${desk.tokens.admin.slice(0, -1)}${desk.tokens.admin.endsWith('a') ? 'b' : 'a'}`
        // More guesses in a minute are answered with 429, below.
        if (index < 20) assertProblem(what, await send({ token: forged }), 401, 'token_required')
        if (access !== 'viewer') assertProblem(what, await send({ token: desk.tokens.viewer }), 403, 'role_too_low')
        if (access === 'admin') assertProblem(what, await send({ token: desk.tokens.operator }), 403, 'role_too_low')
      }
      assertProblem(what, await send({ headers: { host: 'evil.example' } }), 421, 'host_not_allowed')
      assertProblem(what, await send({ headers: { host: '127.0.0.1.evil.example:80' } }), 421, 'host_not_allowed')
      assertProblem(what, await send({ headers: { origin: 'http://127.0.0.1:1' } }), 403, 'origin_not_allowed')
      assertProblem(what, await send({ headers: { origin: 'null' } }), 403, 'origin_not_allowed')
      assertProblem(what, await send({ headers: { 'sec-fetch-site': 'same-site' } }), 403, 'origin_not_allowed')
      assertProblem(what, await desk.ask(path, { method: 'PROPFIND' }), 405, 'method_not_allowed')
      assertProblem(what, await send({ headers: { accept: 'image/png' } }), 406, 'not_acceptable')
      assert.equal(headers.includes('if-match'), method === 'PATCH', `${what} changes what somebody has read`)
      assert.equal(headers.includes('idempotency-key'), method === 'POST' && !isOpen, what)
      if (method === 'GET') continue
      assert.ok(takesBody, `${what} takes a body, so that it needs a type that no form has`)
      const plain = { body: '{}', headers: { 'content-type': 'text/plain' } }
      assertProblem(what, await send(plain), 415, 'type_not_json')
      assertProblem(what, await send({ body: '{}' }), 415, 'type_not_json')
      const long = { x: 'x'.repeat(maxBodyBytes) }
      assertProblem(what, await send({ body: long }), 413, 'body_too_large')
      const broken = { body: '{"a":', headers: { 'content-type': 'application/json' } }
      // What nobody has signed is not even read.
      if (access === 'signed') assertProblem(what, await send(broken), 401, 'signature_invalid')
      else assertProblem(what, await send(broken), 400, 'bad_input')
    }
  })

  test('paths that are not there and methods that a path does not take are problems, too; Allow names those it does', async (t) => {
    const { ask } = await serveDesk(t)
    assertProblem('unknown', await ask('/api/nothing'), 404, 'path_not_found')
    assertProblem('unknown', await ask('/api/nothing', { token: '' }), 401, 'token_required')
    assertProblem('above', await ask('/%2e%2e/etc/passwd'), 404, 'path_not_found')
    const wrong = await ask('/api/tokens', { method: 'DELETE' })
    assertProblem('DELETE', wrong, 405, 'method_not_allowed')
    assert.equal(wrong.headers.allow, 'GET, HEAD, POST')
    const head = await ask('/api/health', { method: 'HEAD', token: '' })
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  test('what is no request of HTTP is answered with a problem, too', async (t) => {
    const { server } = await serveDesk(t)
    for (const [text, status] of [
      ['NONSENSE\r\n\r\n', 400],
      [`GET /?${'x'.repeat(70_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, 431],
    ] as const) {
      const socket = connect(server.port, '127.0.0.1')
      socket.write(text)
      const answer = (await socket.toArray()).join('')
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      assert.match(head, new RegExp(`^HTTP/1.1 ${status} .*content-type: application/problem\\+json`, 'is'))
      const { status: said, code, request_id } = JSON.parse(body)
      assert.ok(said === status && code === 'bad_input' && request_id, body)
    }
  })

  test('a field that is wrong is pointed at', async (t) => {
    const { ask } = await serveDesk(t)
    const made = await ask('/api/tokens', { method: 'POST', body: { name: '', role: 'king' } })
    assertProblem('tokens', made, 400, 'bad_input')
    assert.deepEqual(made.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), ['/name', '/role'])
    const listed = await ask('/api/audit?limit=1000&cusror=x')
    assert.deepEqual(listed.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
      '/query',
      '/query/limit',
    ])
  })

  test('a token counts until it expires or is revoked, and the audit says who did what', async (t) => {
    const { ask, store } = await serveDesk(t)
    const made = await ask('/api/tokens', { method: 'POST', body: { name: 'ci', role: 'viewer', expires: '1h' } })
    assert.equal(made.status, 201, made.text)
    const { token, text } = made.body
    assert.match(text, /^fxw_[0-9A-Za-z]{10}_[0-9A-Za-z]{43}$/)
    assert.equal((await ask('/api/version', { token: text })).status, 200)
    assert.ok(!(await ask('/api/tokens')).text.includes(text.split('_')[2]), 'it is never shown again')
    const revoked = await ask(`/api/tokens/${token.token_id}/revoke`, { method: 'POST', body: {} })
    assert.deepEqual([revoked.status, revoked.body.state], [200, 'revoked'])
    assert.equal((await ask('/api/version', { token: text })).status, 401)
    const old = createTokenText(randomBytes)
    const { state: _, ...fields } = token
    const expired = { token_id: parseTokenId(old), hash: hashToken(old), expires_at: '2026-01-01T00:00:00.000Z' }
    await store.tokens.add({ ...fields, ...expired })
    assert.equal((await ask('/api/version', { token: old })).status, 401)
    const first = await ask('/api/audit?limit=1')
    const second = await ask(`/api/audit?limit=1&cursor=${first.body.next_cursor}`)
    assert.deepEqual(
      [...first.body.items, ...second.body.items].map(({ by, method, path }: Record<string, string>) => [
        by,
        method,
        path,
      ]),
      [
        ['a admin', 'POST', `/api/tokens/${token.token_id}/revoke`],
        ['a admin', 'POST', '/api/tokens'],
      ],
    )
    assertProblem('cursor', await ask('/api/audit?limit=1&cursor=nonsense'), 404, 'cursor_invalid')
    assertProblem('cursor', await ask('/api/audit?limit=1&cursor=a.b'), 400, 'bad_input')
  })

  test('the login code of up counts once', async (t) => {
    const { ask, server } = await serveDesk(t)
    const [, code] = /^http:\/\/127\.0\.0\.1:\d+\/#login=([\w-]{43})$/.exec(server.createLoginUrl()) ?? []
    const login = () => ask('/api/login', { method: 'POST', token: '', body: { code } })
    const first = await login()
    assert.equal(first.status, 201, first.text)
    assert.equal((await ask('/api/tokens', { token: first.body.text })).status, 200)
    assertProblem('twice', await login(), 401, 'token_required')
  })

  test('who asks too often, or guesses tokens, is told when to come back', async (t) => {
    const { ask } = await serveDesk(t, { requests_per_minute: 40 })
    const guess = () => ask('/api/version', { token: 'guess' })
    for (let tries = 0; tries < 30; tries += 1) assert.equal((await guess()).status, 401)
    assertProblem('guess', await guess(), 429, 'too_many_requests')
    for (let asked = 0; asked < 40; asked += 1)
      assert.equal((await ask('/api/version')).status, 200, 'with a token that counts')
    const blocked = await ask('/api/version')
    assertProblem('too often', blocked, 429, 'too_many_requests')
    assert.match(`${blocked.headers['retry-after']}`, /^\d+$/)
  })

  test('every route tells who asks too often when to come back, whatever it is asked', async (t) => {
    const desk = await serveDesk(t, { requests_per_minute: 20 })
    const operations = await listOperations(desk)
    for (let asked = 0; asked < 20; asked += 1) {
      await desk.ask('/api/version')
      await desk.ask('/api/health', { token: '' })
    }
    for (const { method, path, takesBody } of operations) {
      const answer = await desk.ask(path, { method, ...(takesBody ? { body: {} } : {}) })
      assertProblem(`${method} ${path}`, answer, 429, 'too_many_requests')
      assert.match(`${answer.headers['retry-after']}`, /^[1-9]\d?$/)
    }
  })

  test('the documentation is all served from here, and lets nothing else in', async (t) => {
    const { ask } = await serveDesk(t)
    const page = await ask('/docs', { token: '' })
    assert.match(`${page.headers['content-security-policy']}`, /default-src 'self'.*frame-ancestors 'none'/)
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '')
    assert.equal(parts.length, 4)
    for (const path of [...parts, '/docs/problems', '/api/openapi.json']) {
      assert.equal((await ask(path, { token: '' })).status, 200, path)
    }
    assert.ok(!/https?:\/\//.test(page.text))
    assert.deepEqual((await ask('/', { token: '' })).headers.location, '/docs')
    assert.equal((await ask('/api/openapi.json')).body.openapi, '3.1.0')
  })

  test('an address that other machines reach needs TLS or a proxy; names beside localhost have to be listed', async (t) => {
    await assert.rejects(serveDesk(t, { host: '0.0.0.0' }), /server\.tls_certificate.*server\.behind_proxy/)
    await assert.rejects(serveDesk(t, { host: '0.0.0.0', behind_proxy: true }), /give server\.names/)
    const names = ['Fixwright.example']
    const { ask, server } = await serveDesk(t, { host: '0.0.0.0', behind_proxy: true, names })
    assert.match(server.createLoginUrl(), /^https:\/\/Fixwright\.example\/#login=/, 'a link that is not refused')
    const named = await ask('/api/version', {
      headers: { host: 'fixwright.example', 'x-forwarded-for': '1.2.3.4, 5.6.7.8' },
    })
    assert.equal(named.status, 200)
    // The proxy adds the address that it saw; what stands before it, anybody may have written.
    const headers = { 'x-forwarded-for': '1.2.3.4, 5.6.7.8' }
    const asked = { method: 'POST', body: { name: 'x' }, headers: { ...headers, host: 'fixwright.example' } }
    assert.equal((await ask('/api/tokens', asked)).status, 201)
    assert.equal((await ask('/api/audit', { headers: asked.headers })).body.items[0].address, '5.6.7.8')
    const direct = await serveDesk(t)
    assert.equal((await direct.ask('/api/tokens', { ...asked, headers })).status, 201)
    assert.match((await direct.ask('/api/audit')).body.items[0].address, /127\.0\.0\.1$/)
    const own = { host: 'fixwright.example', origin: 'https://fixwright.example' }
    assert.equal((await ask('/api/version', { headers: own })).status, 200)
  })
})
