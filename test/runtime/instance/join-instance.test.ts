import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client, Connection, type WorkflowHandle } from '@temporalio/client'
import { bundleWorkflowCode } from '@temporalio/worker'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import { SEARCH_ATTRIBUTES } from '../../../src/domain/workflow-types/temporal-names.ts'
import { isRunning } from '../../../src/platform/processes/process-identity.ts'
import { type Home, openHome, resolveCachePath } from '../../../src/runtime/home/home.ts'
import { findLiveInstance } from '../../../src/runtime/instance/instance-file.ts'
import {
  findUpLease,
  type JoinedInstance,
  type JoinOptions,
  joinInstance,
} from '../../../src/runtime/instance/join-instance.ts'
import { takeLease } from '../../../src/runtime/instance/leases.ts'
import { takeLock } from '../../../src/runtime/instance/lock.ts'
import { loadSettings } from '../../../src/runtime/settings/merge-settings.ts'
import { stopServers } from '../../../src/runtime/temporal-server/adopt-or-start-server.ts'
import { findRunningServers } from '../../../src/runtime/temporal-server/running-servers.ts'
import { sharedTemporal, temporaryFolder } from '../../support/temporal.ts'
import { until } from '../../support/until.ts'

const WORKER = fileURLToPath(new URL('../../support/instance-worker.ts', import.meta.url))

let bundles: ReturnType<typeof temporaryFolder>
let folder: ReturnType<typeof temporaryFolder>
let home: Home
let steps: string[] = []
let joins: JoinedInstance[] = []

before(async () => {
  bundles = temporaryFolder('bundle')
  const workflowsPath = fileURLToPath(new URL('../../support/instance-workflows.ts', import.meta.url))
  const { code } = await bundleWorkflowCode({ workflowsPath })
  writeFileSync(bundle(), code)
})

after(() => bundles.remove())

beforeEach(() => {
  folder = temporaryFolder('instance')
  home = openHome({ FIXWRIGHT_HOME: join(folder.path, 'home'), FIXWRIGHT_CACHE: resolveCachePath(process.env) })
  steps = []
  joins = []
})

afterEach(async () => {
  for (const name of ['busy', 'unreadable']) rmSync(join(home.path, name), { force: true })
  for (const joined of joins) joined.leave()
  await until('the instance is gone', () => lockIsFree() && findLiveInstance(home) === undefined)
  await stopServers(home.temporalDatabase, 0)
  folder.remove()
})

function bundle(): string {
  return join(bundles.path, 'workflows.js')
}

function lockIsFree(): boolean {
  const lock = takeLock(home.lockFile)
  lock?.release()
  return lock !== undefined
}

function joinOptions(more: Partial<JoinOptions> & { flags?: Record<string, unknown> } = {}): JoinOptions {
  const { flags, ...rest } = more
  const settings: Settings = loadSettings({
    home,
    env: {},
    flags: { 'temporal.port': 0, 'temporal.ui_port': 0, ...flags },
  }).settings
  const env = { PATH: process.env.PATH, HOME: folder.path, TMPDIR: process.env.TMPDIR, FIXWRIGHT_TEST_BUNDLE: bundle() }
  return { home, settings, env, kind: 'command', onStep: (text) => steps.push(text), workerModule: WORKER, ...rest }
}

async function join_(more: Parameters<typeof joinOptions>[0] = {}): Promise<JoinedInstance> {
  const joined = await joinInstance(joinOptions(more))
  joins.push(joined)
  return joined
}

async function withClient<T>(joined: JoinedInstance, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect(joined.connection)
  try {
    return await work(new Client({ connection, namespace: joined.namespace }))
  } finally {
    await connection.close()
  }
}

function quadruple(client: Client, joined: JoinedInstance, value: number, pauseMs = 0): Promise<WorkflowHandle> {
  const options = {
    taskQueue: joined.taskQueue,
    workflowId: `quadruple-${value}-${home.hostId}`,
    args: [value, pauseMs],
  }
  return client.workflow.start('quadruple', options)
}

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await until(`process ${pid} is gone`, () => !existsSync(`/proc/${pid}/stat`))
}

/** A line that is no JSON fails it. */
function readLog(): Record<string, unknown>[] {
  const lines = readFileSync(join(home.logs, 'instance.log'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

function servers() {
  return findRunningServers(home.temporalDatabase)
}

test('two commands at once on a fresh home start one instance, which serves both and ends with the last', async () => {
  // What a command and an instance left that were killed while they wrote.
  const { pid } = spawnSync('true')
  const drafts = [`${home.instanceFile}.${pid}-x1`, join(home.leases, `${pid}-2026-1.json.${pid}-x2`)]
  for (const draft of drafts) writeFileSync(draft, '{')
  const [first, second] = await Promise.all([join_(), join_()])
  assert.deepEqual(first.identity, second.identity)
  assert.equal(servers().length, 1)
  assert.equal(first.attributes.length, Object.keys(SEARCH_ATTRIBUTES).length)
  assert.equal(await withClient(first, async (client) => (await quadruple(client, first, 3)).result()), 12)

  first.leave()
  const third = await join_()
  assert.deepEqual([third.identity, third.startedByUs], [first.identity, false])
  second.leave()
  assert.ok(third.isAlive())
  third.leave()
  await until('the instance has ended', () => !isRunning(first.identity))
  assert.deepEqual(servers(), [])

  const lines = readLog().filter(({ pid }) => pid === first.identity.pid)
  const about = lines.map(({ level, msg }) => `${level} ${msg}`)
  assert.ok(about.includes('info the worker is at work') && about.at(-1) === 'info the instance ends', about.join('\n'))
  const activity = lines.find(({ msg }) => msg === 'Activity completed')
  assert.deepEqual([activity?.activity_type, activity?.workflow_id], ['double', `quadruple-3-${home.hostId}`])
  assert.deepEqual(readdirSync(home.leases), [])
  assert.deepEqual(
    [home.instanceFile, ...drafts].filter((file) => existsSync(file)),
    [],
  )
})

test('an instance that was killed leaves its server to its successor, and the work goes on', async () => {
  const first = await join_()
  await withClient(first, async (client) => {
    const handle = await quadruple(client, first, 5, 300)
    const [server] = servers()
    await kill(first.identity.pid)
    if (!first.lost.aborted) await once(first.lost, 'abort')
    assert.match(String(first.lost.reason), /is gone.*log/s)
    assert.equal(first.isAlive(), false)

    const second = await join_()
    assert.notDeepEqual(second.identity, first.identity)
    assert.equal(second.startedByUs, true)
    assert.deepEqual(servers(), [server])
    assert.equal(await handle.result(), 20)
    assert.match(steps.join('\n'), /taking over the Temporal server/)
  })
})

test('a server that was killed is started again where it was, and the work goes on', async () => {
  // Not among the ports that the system gives to any connection of other tests, so that nobody takes it meanwhile.
  const joined = await join_({ flags: { 'temporal.port': 20_000 + (process.pid % 10_000) } })
  await withClient(joined, async (client) => {
    const handle = await quadruple(client, joined, 6, 300)
    const before = servers()[0]!
    await kill(before.identity.pid)
    const answers = () =>
      client.workflowService.getSystemInfo({}).then(
        () => true,
        () => false,
      )
    await until('it is started again', async () => servers().length === 1 && (await answers()))
    assert.equal(await handle.result(), 24)
    assert.equal(servers()[0]!.port, before.port)
    assert.equal(joined.lost.aborted, false)
  })
})

test('a server that is killed before the worker reaches it is started again, and the work is done', async () => {
  mkdirSync(home.path, { recursive: true })
  writeFileSync(join(home.path, 'hold'), '')
  const joined = await join_()
  await kill(servers()[0]!.identity.pid)
  rmSync(join(home.path, 'hold'))
  await until('it is started again', () => servers().length === 1)
  assert.equal(await withClient(joined, async (client) => (await quadruple(client, joined, 8)).result()), 32)
  assert.equal(joined.lost.aborted, false)
})

test('after a kill of both everything is there again with the next command', async () => {
  const first = await join_()
  const handle = await withClient(first, (client) => quadruple(client, first, 7, 300))
  await kill(first.identity.pid)
  await kill(servers()[0]!.identity.pid)
  const second = await join_()
  assert.equal(await withClient(second, (client) => client.workflow.getHandle(handle.workflowId).result()), 28)
})

test('a command that was killed keeps nothing alive, but a session that runs does', async () => {
  const program = `
    import { joinInstance } from ${JSON.stringify(new URL('../../../src/runtime/instance/join-instance.ts', import.meta.url).href)}
    const options = JSON.parse(process.argv[1])
    const joined = await joinInstance({ ...options, onStep: () => {} })
    console.log(joined.identity.pid)
    setInterval(() => {}, 1000)`
  const args = ['--input-type=module', '--eval', program, JSON.stringify(joinOptions())]
  const command = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(command.stdout, 'data')) as [Buffer]
  const instance = findLiveInstance(home)!
  assert.equal(instance.identity.pid, Number(line.toString()))
  writeFileSync(join(home.path, 'busy'), '')
  command.kill('SIGKILL')
  await until('the lease of the killed command is swept', () => readdirSync(home.leases).length === 0)
  assert.ok(isRunning(instance.identity), 'a session runs')
  rmSync(join(home.path, 'busy'))
  await until('the instance has ended', () => !isRunning(instance.identity))
})

test('an instance that can not tell whether a session runs stays until it can, and says each reason once', async () => {
  const { identity } = await join_()
  const saysWhy = (why: string) => readLog().filter(({ msg }) => `${msg}`.endsWith(`can't be told: ${why}`)).length
  const unreadable = join(home.path, 'unreadable')
  writeFileSync(unreadable, 'a hiccup')
  for (const joined of joins) joined.leave()
  await until('it has looked', () => saysWhy('a hiccup') > 0)
  writeFileSync(unreadable, 'another one')
  await until('it has looked again', () => saysWhy('another one') > 0)
  rmSync(unreadable)
  await until('the instance has ended', () => !isRunning(identity))
  assert.deepEqual([saysWhy('a hiccup'), saysWhy('another one')], [1, 1])
})

test('a second up is told of the first, and a command is not', async () => {
  const first = await join_({ kind: 'up' })
  assert.equal(first.otherUp, undefined)
  const second = await join_({ kind: 'up' })
  assert.equal(second.otherUp?.identity.pid, process.pid)
  assert.equal(second.uiUrl, first.uiUrl)
  assert.equal((await join_()).otherUp, undefined)
  for (const joined of joins) joined.leave()
  assert.equal(findUpLease(home), undefined)
})

test('a cluster that is there already replaces the server, and only its own kind joins', async () => {
  const { address } = await sharedTemporal()
  const external = await join_({ flags: { 'temporal.address': address } })
  assert.deepEqual([external.embedded, external.address, external.uiUrl], [false, address, null])
  assert.deepEqual(servers(), [])
  assert.equal(await withClient(external, async (client) => (await quadruple(client, external, 9)).result()), 36)
  await assert.rejects(
    join_(),
    new RegExp(`runs already .* on Temporal at ${address}, and you asked for a server of its own`),
  )
  // The same cluster, named by Temporal's own variable.
  const env = { ...joinOptions().env, TEMPORAL_ADDRESS: address }
  assert.deepEqual((await join_({ env })).identity, external.identity)
})

test('an instance that can not start tells its command why', async () => {
  await assert.rejects(join_({ flags: { 'temporal.cli': '/nowhere/temporal' } }), /nowhere.*What helps.*log/s)
  await assert.rejects(
    join_({
      env: { PATH: process.env.PATH, HOME: folder.path, SOME_TOKEN: '127.0.0.1:9' },
      flags: { 'temporal.address': '127.0.0.1:9' },
    }),
    /Temporal at 127\.0\.0\.1:9 can't be reached.*Is it running/s,
  )
  await until('its log says so, without what the environment calls a token', () =>
    readLog().some(({ error }) => /Temporal at «secret:env-some-token:\w{4}» can't/.test(JSON.stringify(error) ?? '')),
  )
  assert.ok(!readFileSync(join(home.logs, 'instance.log'), 'utf8').includes('127.0.0.1:9'))
  assert.deepEqual(servers(), [])
  assert.deepEqual(readdirSync(home.leases), [])
})

test('a worker that can not start is told to the command that had joined already', async () => {
  const joined = await join_({ workerModule: '/nowhere/worker.ts' })
  if (!joined.lost.aborted) await once(joined.lost, 'abort')
  assert.match(String(joined.lost.reason), /nowhere\/worker\.ts/)
  assert.deepEqual(servers(), [])
})

test('a timer of a workflow is not a second late, and workflow tasks do not wait for their turn', async () => {
  const joined = await join_()
  await withClient(joined, async (client) => {
    await (await quadruple(client, joined, 1)).result()
    let fastest = Number.POSITIVE_INFINITY
    for (let value = 2; value < 12; value++) {
      const started = performance.now()
      await (await quadruple(client, joined, value, 1)).result()
      fastest = Math.min(fastest, performance.now() - started)
    }
    // One takes 0.1 s; with a server as it comes each takes more than a second.
    assert.ok(fastest < 900, `${fastest} ms`)
  })
})

test('TERM ends the instance in order while commands still hold it', async () => {
  const joined = await join_()
  process.kill(joined.identity.pid, 'SIGTERM')
  await once(joined.lost, 'abort')
  assert.deepEqual(servers(), [])
  assert.equal(existsSync(home.instanceFile), false)
})

test('commands that come while the last one leaves always find an instance that stays', async () => {
  for (let round = 0; round < 6; round++) {
    const joined = await join_()
    joined.leave()
    const next = await join_()
    // Long enough for an instance that had decided to end to do so.
    await new Promise((resolve) => setTimeout(resolve, 50 * round))
    assert.ok(next.isAlive(), `round ${round}`)
    next.leave()
  }
})

test('the lock is free again as soon as its holder is killed', async () => {
  const program = `
    import { takeLock } from ${JSON.stringify(new URL('../../../src/runtime/instance/lock.ts', import.meta.url).href)}
    console.log(takeLock(process.argv[1]) !== undefined)
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', program, home.lockFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(holder.stdout, 'data')) as [Buffer]
  assert.equal(line.toString().trim(), 'true')
  assert.equal(takeLock(home.lockFile), undefined)
  const exit = once(holder, 'exit')
  holder.kill('SIGKILL')
  await exit
  assert.ok(lockIsFree())
})

test('a taken port moves on', async () => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const { port } = blocker.address() as { port: number }
  const joined = await join_({ flags: { 'temporal.port': port } })
  assert.notEqual(joined.address, `127.0.0.1:${port}`)
  blocker.close()
  takeLease(home, 'command')()
})
