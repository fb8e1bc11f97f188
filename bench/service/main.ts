// `npm run bench:service`: what the HTTP service costs, each beside a bare hono handler or a bare loop in the same run. Ratios and the
// bound of 40 ms count, not requests a second: clients and service share the machine.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createToken } from '../../src/app/access/tokens.ts'
import { openApp } from '../../src/app/context.ts'
import { addRepository } from '../../src/app/repositories/repositories.ts'
import type { Finding } from '../../src/domain/issue/parse-findings.ts'
import { logClarified } from '../../src/domain/session/events/logs/session-logs.ts'
import { newSession } from '../../test/support/store.ts'

const { values } = parseArgs({
  options: {
    issues: { type: 'string', default: '100000' },
    results: { type: 'string', default: '25000' },
    requests: { type: 'string', default: '3000' },
    events: { type: 'string', default: '100' },
  },
})
const MOST_MS = 40
const CLIENTS = 16
const EVENTS_A_SECOND = 10
const CHUNK = 5_000
const FILES = 50
const LINES = 500

const folder = mkdtempSync(join(tmpdir(), 'fixwright-service-'))
const env = { ...process.env, FIXWRIGHT_HOME: join(folder, 'home'), HOME: folder, TMPDIR: folder }
const app = await openApp({ env, by: 'bench', isSenderChecked: true })
const { text: token } = await createToken(app, { name: 'bench', role: 'admin', expires: '1h' })
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
const report: Record<string, unknown> = {}

try {
  const repository_id = await fill(Number(values.issues))
  const served = await serveHome()
  try {
    await measureRequests(served, repository_id)
    await measureEvents(served, repository_id)
    await measureImport(served)
  } finally {
    served.child.disconnect()
    await once(served.child, 'exit')
  }
  writeFileSync(join(import.meta.dirname, 'result.json'), `${JSON.stringify(report, null, 2)}\n`)
} finally {
  agent.destroy()
  await app.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function say(name: string, value: Readonly<Record<string, unknown>>): void {
  report[name] = value
  const parts = Object.entries(value).map(([key, each]) => `${key} ${typeof each === 'number' ? round(each) : each}`)
  process.stdout.write(`${name.padEnd(34)} ${parts.join(' · ')}\n`)
}

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 10) / 10
}

function makeRepository(name: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, 'src'), { recursive: true })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: path, env: { ...env, GIT_CONFIG_NOSYSTEM: '1' } })
  for (let file = 0; file < FILES; file += 1) {
    const lines = Array.from({ length: LINES }, (_, line) => `const value_${file}_${line} = compute(${line}, ${file})`)
    writeFileSync(join(path, 'src', `file${file}.js`), lines.join('\n'))
  }
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('-c', 'user.name=b', '-c', 'user.email=b@example', 'commit', '-q', '-m', 'Begin')
  return path
}

async function register(name: string): Promise<string> {
  const added = await addRepository(app, { folder: makeRepository(name), name })
  if (added.kind !== 'added') throw new Error(JSON.stringify(added))
  return added.repository.repository_id
}

async function fill(count: number): Promise<string> {
  const repository_id = await register('big')
  const severities = ['critical', 'high', 'medium', 'low', 'info'] as const
  const started = performance.now()
  for (let from = 0; from < count; from += CHUNK) {
    const findings = Array.from({ length: Math.min(CHUNK, count - from) }, (_, index): Finding => {
      const n = from + index
      return {
        issue_code: `N-${n}`,
        title: `Finding number ${n} of a tool that finds many`,
        description: 'What it is about, in a sentence or two. '.repeat(4),
        file: `src/file${n % FILES}.js`,
        severity: severities[n % severities.length] ?? 'low',
      }
    })
    const task_id = `task-${from}`
    const session = newSession(task_id, { repository_id, repository: join(folder, 'big'), task_id })
    await app.store.createSession(session, findings)
    await app.store.sessions.update(task_id, { status: 'completed' })
  }
  say(`${count} issues put into the store`, { seconds: (performance.now() - started) / 1000 })
  return repository_id
}

async function serveHome() {
  const child = fork(join(import.meta.dirname, 'served.ts'), { env, execArgv: [] })
  const [{ url, bareUrl }] = (await once(child, 'message')) as [{ url: string; bareUrl: string }]
  const ask = async (more: object = {}) => {
    child.send(more)
    const [found] = (await once(child, 'message')) as [{ cpuMs: number; rssMb: number; peakMb: number }]
    return found
  }
  return { child, url, bareUrl, ask }
}
type Served = Awaited<ReturnType<typeof serveHome>>

interface Sent {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
}

function send({ url, method = 'GET', headers, body }: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const all = { authorization: `Bearer ${token}`, ...json, ...headers }
    const asking = request(url, { method, agent, headers: all }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
    // A connection that was kept may just have been closed by the other end.
    asking.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' && asking.reusedSocket
        ? resolve(send({ url, method, headers, body }))
        : reject(error),
    )
    asking.end(body)
  })
}

/** All clients ask as fast as they are answered. */
async function load(count: number, make: (n: number) => Sent, { ask }: Served) {
  let next = 0
  const tooks: number[] = []
  const before = await ask()
  const started = performance.now()
  const client = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const at = performance.now()
      const { status, text } = await send(make(n))
      if (status !== 200) throw new Error(`${status}: ${text}`)
      tooks.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const seconds = (performance.now() - started) / 1000
  const cpuMs = (await ask()).cpuMs - before.cpuMs
  return { 'req/s': count / seconds, ...quantiles(tooks), 'server CPU ms a request': cpuMs / count }
}

function quantiles(tooks: readonly number[]) {
  const sorted = tooks.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { 'p50 ms': at(0.5), 'p99 ms': at(0.99) }
}

async function measureRequests(served: Served, repository_id: string): Promise<void> {
  const count = Number(values.requests)
  const list = `${served.url}/api/fix/issues/${repository_id}`
  const page = await send({ url: `${list}?limit=50` })
  await served.ask({ text: page.text })
  const { items } = JSON.parse(page.text) as { items: readonly { issue_id: string }[] }
  const few = await send({ url: `${list}?limit=200` })
  const ids = (JSON.parse(few.text) as { items: readonly { issue_id: string }[] }).items.map(({ issue_id }) => issue_id)
  const cursor = await deepCursor(list)
  await load(200, () => ({ url: `${list}?limit=50` }), served)
  say('bare hono, the same 50 issues', await load(count, () => ({ url: `${served.bareUrl}/list` }), served))
  say('list 50 issues', await load(count, () => ({ url: `${list}?limit=50` }), served))
  say('list 50 behind 20 pages', await load(count, () => ({ url: `${list}?limit=50&cursor=${cursor}` }), served))
  const filtered = `${list}?limit=50&status=open&severity=high,critical`
  say('list 50 by status and severity', await load(count, () => ({ url: filtered }), served))
  say('list 50 by task', await load(count, () => ({ url: `${list}?limit=50&task_id=task-0` }), served))
  say('list where nothing fits', await load(Math.ceil(count / 10), () => ({ url: `${list}?status=merged` }), served))
  say('one issue', await load(count, (n) => ({ url: `${served.url}/api/issues/${ids[n % ids.length]}` }), served))
  const patch = (n: number): Sent => ({
    url: `${served.url}/api/fix/issues/${ids[n % ids.length]}`,
    method: 'PATCH',
    headers: { 'if-match': '*' },
    body: JSON.stringify({ resolution_note: `seen ${n}` }),
  })
  say('PATCH an issue', await load(Math.ceil(count / 3), patch, served))
  if (items.length !== 50) throw new Error('a page has 50 issues')
}

async function deepCursor(list: string): Promise<string> {
  let cursor = ''
  for (let page = 0; page < 20; page += 1) {
    const { text } = await send({ url: `${list}?limit=50${cursor && `&cursor=${cursor}`}` })
    cursor = (JSON.parse(text) as { next_cursor: string }).next_cursor
  }
  return cursor
}

async function measureEvents(served: Served, repository_id: string): Promise<void> {
  for (const readers of [1, 500]) {
    const id = `fx-${readers}`
    await app.store.createSession(newSession(id, { repository_id, repository: join(folder, 'big'), key: id }), [])
    const append = async (n: number): Promise<void> => {
      const words = `at=${performance.timeOrigin + performance.now()}`
      await app.store.events.append(id, [logClarified(`n ${n}`, { round: n, ready: true, questions: 0, words })])
    }
    say(
      `append to ${readers} reader(s)`,
      await follow(served, readers, `${served.url}/api/sessions/${id}/events`, append),
    )
    const publish = async (n: number): Promise<void> => {
      const data = JSON.stringify({ n, words: `at=${performance.timeOrigin + performance.now()}` })
      await send({ url: `${served.bareUrl}/events`, method: 'POST', body: `id: ${n}\ndata: ${data}\n\n` })
    }
    say(`bare stream to ${readers} reader(s)`, await follow(served, readers, `${served.bareUrl}/events`, publish))
  }
}

async function follow(served: Served, count: number, url: string, put: (n: number) => Promise<void>) {
  const file = join(import.meta.dirname, 'readers.ts')
  const child = fork(file, { env: { ...env, url, token, count: `${count}` }, execArgv: [] })
  try {
    await once(child, 'message')
    const before = await served.ask()
    const events = Number(values.events)
    const started = performance.now()
    for (let n = 1; n <= events; n += 1) {
      await put(n)
      await delay(Math.max(0, started + n * (1000 / EVENTS_A_SECOND) - performance.now()))
    }
    const seconds = (performance.now() - started) / 1000
    const { cpuMs } = await served.ask()
    const tooks: number[] = []
    while (tooks.length < count * events) {
      child.send({})
      const [{ tooks: more }] = (await once(child, 'message')) as [{ tooks: number[] }]
      for (const took of more) tooks.push(took)
    }
    const cpu = (100 * (cpuMs - before.cpuMs)) / 1000 / seconds
    // The first append compiles what appends, in this process and not in the server: it is shown, and left out of the others.
    const first = Math.max(...tooks.splice(0, count))
    return {
      'first ms': first,
      ...quantiles(tooks),
      'bound ms': MOST_MS,
      'server CPU % of a core': cpu,
      deliveries: tooks.length,
    }
  } finally {
    child.disconnect()
    await once(child, 'exit')
  }
}

async function measureImport(served: Served): Promise<void> {
  const repository_id = await register('imported')
  const results = Array.from({ length: Number(values.results) }, (_, n) => ({
    ruleId: `rule-${n % 40}`,
    level: 'warning',
    message: { text: `something is wrong with value ${n}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: `src/file${n % FILES}.js` },
          region: { startLine: 1 + (Math.floor(n / FILES) % LINES) },
        },
      },
    ],
  }))
  const sarif = { version: '2.1.0', runs: [{ tool: { driver: { name: 'many' } }, results }] }
  const text = JSON.stringify(sarif)
  const bareStarted = performance.now()
  bareImport(text)
  say(`bare loop: parse and insert ${results.length}`, {
    seconds: (performance.now() - bareStarted) / 1000,
    MB: text.length / 2 ** 20,
  })
  for (const which of ['first', 'again']) {
    const before = await served.ask()
    const started = performance.now()
    const body = JSON.stringify({ report: sarif })
    const answer = await send({ url: `${served.url}/api/repositories/${repository_id}/imports`, method: 'POST', body })
    if (answer.status !== 201) throw new Error(answer.text)
    const seconds = (performance.now() - started) / 1000
    const after = await served.ask()
    const { counts } = JSON.parse(answer.text) as { counts: Readonly<Record<string, number>> }
    const { created = 0, unchanged = 0 } = counts
    const cpu = (after.cpuMs - before.cpuMs) / 1000
    say(`import ${results.length} results, ${which}`, {
      seconds,
      'CPU s': cpu,
      'RSS MB before': before.rssMb,
      'peak MB': after.peakMb,
      created,
      unchanged,
    })
  }
}

function bareImport(text: string): void {
  interface Result {
    readonly ruleId: string
    readonly message: { readonly text: string }
  }
  const { runs } = JSON.parse(text) as { runs: readonly { results: readonly Result[] }[] }
  const database = new DatabaseSync(join(folder, 'bare.db'))
  database.exec('pragma journal_mode = wal; create table issues (id integer primary key, rule text, title text)')
  database.exec('begin')
  const insert = database.prepare('insert into issues (rule, title) values (?, ?)')
  for (const { ruleId, message } of runs[0]?.results ?? []) insert.run(ruleId, message.text)
  database.exec('commit')
  database.close()
}
