// Looks for credentials wherever they must not be: in every file of a stage, in Temporal's histories, in what the models were sent and what
// commands print, in what a host beside the real one received, and in the process table for as long as the hunt lasts.
import assert from 'node:assert/strict'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join, relative } from 'node:path'
import type { TestContext } from 'node:test'
import { gunzipSync, inflateSync } from 'node:zlib'
import { getTaskQueues } from '../../src/runtime/instance/instance-file.ts'
import type { GitHubBed } from './github.ts'
import type { E2eStage } from './session.ts'

export interface HuntOptions {
  /** Besides those that GitHub was sent. */
  readonly secrets: readonly string[]
  readonly github?: GitHubBed
  /** Files that the operator gave one in. */
  readonly holders?: readonly string[]
}

export interface TokenHunt {
  /** Fails with every place that holds a secret, or with a request that went astray. */
  end(): Promise<void>
  /** How often the process table was looked at, and which processes may have had one and did. */
  sampled(): { readonly times: number; readonly helpers: readonly string[] }
}

const SAMPLE_MS = 40
/** Longer than a process is its parent's program. */
const SETTLED_MS = 2000
/** What git's own child processes ask for the password. */
const HELPER_VARIABLE = 'FIXWRIGHT_PUSH_PASSWORD'
const HELPERS = /^(?:git\b|git-|sh$|askpass$)/
/** The command line and the instance, which were given it. */
const OWN = /cli\/main\.[jt]s|instance\/instance-main\.[jt]s|bin\/fixwright|scripts\/action\.sh/

/** From now on. The repository's configuration leads GitHub's addresses and every proxy to a host beside the real one. */
export async function startTokenHunt(
  t: TestContext,
  stage: E2eStage,
  { secrets: given, github, holders = [] }: HuntOptions,
): Promise<TokenHunt> {
  const decoy = await startDecoy(t)
  if (github) stage.git('config', `url.http://${decoy.host}/.insteadOf`, `http://${github.host}/`)
  stage.git('config', 'http.proxy', `http://${decoy.host}`)
  await stage.lookAgain()
  const since = new Date()
  const table = new ProcessTable(stage)
  let secrets = spellings(given)
  const timer = setInterval(() => table.sample(secrets), SAMPLE_MS).unref()
  t.after(() => clearInterval(timer))
  return {
    sampled: () => ({ times: table.times, helpers: [...table.helpers] }),
    end: async () => {
      clearInterval(timer)
      const state = await github?.state()
      secrets = spellings([...given, ...(state?.credentials ?? [])])
      const places = [
        ...table.places,
        ...findInFiles(stage.folder, secrets, holders),
        ...(await findInHistories(stage, secrets, since)),
        ...(holds(JSON.stringify(stage.model.calls()), secrets) ? ['what a model was sent'] : []),
        ...(holds(stage.said(), secrets) ? ['what a command printed'] : []),
        ...decoy.received.map((request) => `a host beside the real one: ${request}`),
        ...(state?.problems ?? []),
      ]
      assert.deepEqual(places, [], 'a credential is nowhere but in the process that uses it')
    },
  }
}

/** As it is, in an address, and wherever it lies in something in base64. */
function spellings(secrets: readonly string[]): string[] {
  return [...new Set(secrets)].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    ...['', 'x', 'xy'].map((before) => {
      const text = Buffer.from(`${before}${secret}`).toString('base64').replaceAll('=', '')
      // The letters at its ends depend on what stands beside it.
      return text.slice(before === '' ? 0 : before.length + 1, -2)
    }),
  ])
}

function holds(content: string | Buffer, secrets: readonly string[]): boolean {
  return secrets.some((secret) => content.includes(secret))
}

function findInFiles(folder: string, secrets: readonly string[], holders: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return files.flatMap((file) => {
    if (holders.includes(file)) return []
    const content = readWhole(file)
    return content !== undefined && holds(content, secrets) ? [`the file ${relative(folder, file)}`] : []
  })
}

/** Git's objects and some logs are compressed. */
function readWhole(file: string): Buffer | undefined {
  try {
    if (!statSync(file).isFile()) return undefined
    const content = readFileSync(file)
    if (content[0] === 0x1f && content[1] === 0x8b) return gunzipSync(content)
    return /\/objects\/[0-9a-f]{2}\//.test(file) ? inflateSync(content) : content
  } catch {
    return undefined
  }
}

/** Of all workflows of the home. */
async function findInHistories(stage: E2eStage, secrets: readonly string[], since: Date): Promise<string[]> {
  if (!stage.temporal) return []
  const { taskQueue } = getTaskQueues(stage.home, { task_queue: null }, { embedded: false })
  const { workflow } = await stage.client()
  const found: string[] = []
  // The histories of other tests lie there, too.
  const query = `TaskQueue = '${taskQueue}' AND StartTime > '${new Date(since.getTime() - 60_000).toISOString()}'`
  for await (const { workflowId, runId, memo } of workflow.list({ query })) {
    const history = await workflow.getHandle(workflowId, runId).fetchHistory()
    for (const text of stringsOf([history, memo]))
      if (holds(text, secrets)) found.push(`the history of ${workflowId}: ${text.slice(0, 200)}`)
  }
  return found
}

function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (value instanceof Uint8Array) yield Buffer.from(value).toString()
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* stringsOf(each)
}

/** The processes of a stage, by its folder: those that held a secret, in their arguments or environment. */
class ProcessTable {
  readonly places = new Set<string>()
  readonly helpers = new Set<string>()
  times = 0
  readonly #stage: E2eStage
  /** Those of others, and the kernel's. A number is only given to another process after this one was missed here. */
  #others = new Set<string>()
  /** What each process of the stage was when it was last looked at. */
  readonly #seen = new Map<string, Buffer>()

  constructor(stage: E2eStage) {
    this.#stage = stage
  }

  sample(secrets: readonly string[]): void {
    this.times += 1
    const pids = readdirSync('/proc').filter((name) => /^\d/.test(name) && Number(name) !== process.pid)
    this.#others = this.#others.intersection(new Set(pids))
    for (const pid of pids) {
      if (this.#others.has(pid)) continue
      try {
        this.#look(pid, secrets)
      } catch {
        // It ended while it was looked at, or belongs to somebody else.
      }
    }
  }

  #look(pid: string, secrets: readonly string[]): void {
    const environment = readProcessFile(pid, 'environ')
    const command = readProcessFile(pid, 'cmdline')
    // In between, it may have become another program.
    if (!readProcessFile(pid, 'environ').equals(environment)) return
    const facts = Buffer.concat([environment, command])
    if (facts.length > 0 && this.#seen.get(pid)?.equals(facts)) return
    const { folder } = this.#stage
    if (!facts.includes(folder) && !readlinkSync(`/proc/${pid}/cwd`).includes(folder)) {
      if (isSettled(pid)) this.#others.add(pid)
      return
    }
    this.#seen.set(pid, facts)
    this.#judge(command.toString('latin1').replaceAll('\0', ' ').trim(), environment.toString('latin1'), secrets)
  }

  #judge(command: string, environment: string, secrets: readonly string[]): void {
    if (command === '') return
    if (holds(command, secrets)) this.places.add(`the arguments of ${command}`)
    for (const [name, value] of parseEnvironment(environment)) {
      if (!holds(value, secrets)) continue
      const program = basename(command.split(' ')[0] ?? '')
      if (name === HELPER_VARIABLE && HELPERS.test(program)) this.helpers.add(program)
      else if (!OWN.test(command)) this.places.add(`the variable ${name} of ${command}`)
    }
  }
}

/** Node's own reading of a file without a size allocates much more than the table holds, many thousand times a test. */
const pageOfTable = Buffer.alloc(4 * 1024 * 1024)

function readProcessFile(pid: string, name: string): Buffer {
  const file = openSync(`/proc/${pid}/${name}`, 'r')
  try {
    let length = 0
    for (let more = -1; more !== 0; length += more)
      more = readSync(file, pageOfTable, length, pageOfTable.length - length, null)
    return Buffer.from(pageOfTable.subarray(0, length))
  } finally {
    closeSync(file)
  }
}

/** A process that has just been forked is still its parent's program, and becomes its own. */
function isSettled(pid: string): boolean {
  return Date.now() - statSync(`/proc/${pid}`).ctimeMs > SETTLED_MS
}

function parseEnvironment(text: string): [string, string][] {
  return text.split('\0').map((each) => {
    const at = each.indexOf('=')
    return [each.slice(0, at), each.slice(at + 1)]
  })
}

export interface Decoy {
  readonly host: string
  /** What it was asked. */
  readonly received: readonly string[]
}

/** A host beside the real one, which a repository's configuration may lead to. */
export async function startDecoy(t: TestContext): Promise<Decoy> {
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="decoy"' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  t.after(() => server.close())
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}
