// GitHub as a process of its own: its API below /api/v3 as an Enterprise Server has it, its git over HTTP, and /_bed for the test.
// `node github-main.ts SETUP.json` says its port on standard output.
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { createApi } from './github/api.ts'
import type { BedDelivery, BedHook, BedSetup, Fault, PlannedFault } from './github/state.ts'

const setup = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as BedSetup
const api = createApi(setup, (delivery) => void send(delivery))
let hook: BedHook | undefined
let faults: (PlannedFault & { seen: number })[] = []
let held: (() => void)[] = []

const server = createServer((request, response) => {
  handle(request, response).catch((error: Error) => {
    api.state.problems.push(`${error.stack}`)
    response.destroy()
  })
})

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  if (url.pathname.startsWith('/_bed')) return await control(url.pathname, request, response)
  if (!url.pathname.startsWith('/api/v3/')) return serveGit(url, request, response)
  const path = url.pathname.slice('/api/v3'.length)
  const method = request.method ?? 'GET'
  const text = await readBody(request)
  // A credential stands in the header alone.
  if (api.state.credentials.some((each) => text.includes(each) || request.url?.includes(each)))
    api.state.problems.push(`${method} ${path} holds a credential in its address or body`)
  const authorization = request.headers.authorization
  const login = api.who(authorization)?.login
  const fault = takeFault(method, path)
  const log = (status: number): void => {
    api.state.requests.push({ method, path, login, status, ...(fault ? { fault: fault.kind } : {}) })
  }
  const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void => {
    log(status)
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
  if (fault?.kind === 'drop' && !fault.after) {
    log(0)
    response.destroy()
    return
  }
  if (fault?.kind === 'hold' && !fault.after) await new Promise<void>((resolve) => held.push(resolve))
  if (fault?.kind === 'unauthorised') return send(401, { message: 'Bad credentials' })
  if (fault?.kind === 'forbidden') return send(403, { message: 'Resource not accessible by personal access token' })
  if (fault?.kind === 'primary') {
    const reset = `${Math.ceil(Date.now() / 1000) + fault.resetInSeconds}`
    return send(
      403,
      { message: 'API rate limit exceeded' },
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset },
    )
  }
  if (fault?.kind === 'secondary') {
    const after = fault.retryAfterSeconds
    return send(
      fault.status,
      { message: 'You have exceeded a secondary rate limit' },
      after === undefined ? {} : { 'retry-after': `${after}` },
    )
  }
  const answer = api.answer({
    ...{ method, path, query: url.searchParams, body: text === '' ? undefined : JSON.parse(text), authorization },
    etag: request.headers['if-none-match'],
    origin: url.origin,
  })
  // Of an answer without a body, such as "not modified", nothing is left to cut off.
  if (fault?.kind === 'drop' || (fault?.kind === 'truncated' && answer.body === undefined)) {
    log(0)
    response.destroy()
    return
  }
  if (fault?.kind === 'hold' && fault.after) await new Promise<void>((resolve) => held.push(resolve))
  if (fault?.kind === 'status') return send(fault.status, { message: 'Server Error' })
  if (fault?.kind === 'truncated') {
    log(answer.status)
    const whole = JSON.stringify(answer.body)
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': `${whole.length}` })
    response.write(whole.slice(0, Math.ceil(whole.length / 2)))
    response.destroy()
    return
  }
  send(answer.status, answer.body, answer.headers)
}

function takeFault(method: string, path: string): Fault | undefined {
  const matching = faults.filter((each) => each.method === method && new RegExp(each.path).test(path))
  for (const each of matching) each.seen += 1
  return matching.find(({ seen, nth = 1 }) => seen === nth)?.fault
}

async function control(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await readBody(request)
  const given = text === '' ? {} : JSON.parse(text)
  if (path === '/_bed/faults') faults = (given as PlannedFault[]).map((each) => ({ ...each, seen: 0 }))
  if (path === '/_bed/release') {
    for (const release of held) release()
    held = []
  }
  if (path === '/_bed/reset') api.reset()
  if (path === '/_bed/alerts') api.state.alerts.push(...(given as object[]))
  if (path === '/_bed/hook') hook = given as BedHook
  if (path === '/_bed/redeliver') for (const each of api.state.deliveries) await send(each)
  if (path === '/_bed/edit-comment') api.editComment(given.id, given.body)
  if (path === '/_bed/role') api.setRole(given.login, given.role)
  if (path === '/_bed/edit') api.edit(api.find(`${given.number}`), given)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ ...api.state, held: held.length }))
}

/** As GitHub posts it: signed, and not sent again by itself when it fails. */
async function send(delivery: BedDelivery): Promise<void> {
  if (hook === undefined) return
  const body = JSON.stringify(delivery.payload)
  const headers = {
    'content-type': 'application/json',
    'x-github-event': delivery.event,
    'x-github-delivery': delivery.id,
    'x-hub-signature-256': `sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`,
  }
  for (let time = 0; time < (hook.times ?? 1); time += 1) {
    const answer = await fetch(hook.url, { method: 'POST', headers, body }).catch(() => undefined)
    delivery.statuses.push(answer?.status ?? 0)
  }
}

/** git's own server, behind Basic authentication. */
function serveGit(url: URL, request: IncomingMessage, response: ServerResponse): void {
  const [, token = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
  const [, password = ''] = /:(.*)$/.exec(Buffer.from(token, 'base64').toString()) ?? []
  const user = api.who(`token ${password}`)
  const pushes = url.pathname.endsWith('/git-receive-pack') || url.searchParams.get('service') === 'git-receive-pack'
  if (!user || (pushes && user.contents !== 'write')) {
    response.writeHead(user ? 403 : 401, user ? {} : { 'www-authenticate': 'Basic realm="GitHub"' })
    response.end()
    return
  }
  const cgi = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
    env: {
      ...{
        PATH: process.env.PATH,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROJECT_ROOT: dirname(dirname(setup.bare)),
        REMOTE_USER: user.login,
      },
      ...{
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        REMOTE_ADDR: '127.0.0.1',
        GATEWAY_INTERFACE: 'CGI/1.1',
      },
      ...{ PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1), REQUEST_METHOD: request.method },
      ...{ CONTENT_TYPE: request.headers['content-type'], HTTP_CONTENT_ENCODING: request.headers['content-encoding'] },
      ...{ GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined },
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(cgi.stdin)
  cgi.stdin.on('error', () => undefined)
  let head = Buffer.alloc(0)
  const onHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    cgi.stdout.off('data', onHead)
    const headers = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string])
    const [, status = '200'] = headers.find(([name]) => name.toLowerCase() === 'status') ?? []
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')),
    )
    response.write(head.subarray(end + 4))
    cgi.stdout.pipe(response)
  }
  cgi.stdout.on('data', onHead)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

// A connection that is closed just as it is used again would be a fault that nobody has planned.
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
// It ends with the test that started it.
process.stdin.on('end', () => process.exit()).resume()
