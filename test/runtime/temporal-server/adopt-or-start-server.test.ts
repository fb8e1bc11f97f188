import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { Connection } from '@temporalio/client'
import { isRunning } from '../../../src/platform/processes/process-identity.ts'
import {
  adoptOrStartServer,
  type ServerOptions,
  stopServers,
} from '../../../src/runtime/temporal-server/adopt-or-start-server.ts'
import { findFreePort } from '../../../src/runtime/temporal-server/free-port.ts'
import { probeServer } from '../../../src/runtime/temporal-server/health-probe.ts'
import { prepareNamespace } from '../../../src/runtime/temporal-server/prepare-namespace.ts'
import { rotateLog } from '../../../src/runtime/temporal-server/rotate-log.ts'
import { findRunningServers } from '../../../src/runtime/temporal-server/running-servers.ts'
import { temporalExecutable, temporaryFolder } from '../../support/temporal.ts'
import { until } from '../../support/until.ts'

let folder: ReturnType<typeof temporaryFolder>
let steps: string[] = []
const databases = new Set<string>()

beforeEach(() => {
  folder = temporaryFolder('server')
  steps = []
})

afterEach(async () => {
  for (const database of databases) await stopServers(database, 0)
  databases.clear()
  folder.remove()
})

function options(more: Partial<ServerOptions> = {}): ServerOptions {
  const database = more.database ?? join(folder.path, 'temporal.db')
  databases.add(database)
  return {
    database,
    logFile: join(folder.path, 'server.log'),
    namespace: 'fixwright',
    port: 0,
    uiPort: 0,
    env: process.env,
    executable: temporalExecutable,
    onStep: (text) => steps.push(text),
    ...more,
  }
}

async function startWorkflow(address: string, workflowId: string): Promise<void> {
  const connection = await Connection.connect({ address })
  try {
    const attribute = { data: Buffer.from('"open"'), metadata: { encoding: Buffer.from('json/plain') } }
    await connection.workflowService.startWorkflowExecution({
      namespace: 'fixwright',
      workflowId,
      requestId: workflowId,
      workflowType: { name: 'nothing' },
      taskQueue: { name: 'nobody' },
      searchAttributes: { indexedFields: { FixStatus: attribute } },
    })
  } finally {
    await connection.close()
  }
}

async function workflowIds(address: string): Promise<string[]> {
  const connection = await Connection.connect({ address })
  try {
    const query = `FixStatus = 'open'`
    const { executions } = await connection.workflowService.listWorkflowExecutions({ namespace: 'fixwright', query })
    return executions.map(({ execution }) => execution?.workflowId ?? '')
  } finally {
    await connection.close()
  }
}

test('a fresh server takes a session with its search attributes at once, and keeps it over a restart and a kill -9', async () => {
  const first = await adoptOrStartServer(options())
  assert.equal(first.adopted, false)
  await startWorkflow(first.address, 'kept')
  await until('the session is listed', async () => (await workflowIds(first.address)).includes('kept'))

  await stopServers(options().database)
  assert.equal(isRunning(first.identity), false)
  const second = await adoptOrStartServer(options())
  assert.deepEqual(await workflowIds(second.address), ['kept'])

  process.kill(second.identity.pid, 'SIGKILL')
  await until('it is dead', () => !isRunning(second.identity))
  const third = await adoptOrStartServer(options())
  assert.deepEqual(await workflowIds(third.address), ['kept'])
  assert.equal((await fetch(third.uiUrl)).status, 200)
})

test('a server that still runs on the database is taken over, and only one ever runs', async () => {
  const first = await adoptOrStartServer(options())
  const executable = () => Promise.reject(new Error('no second one may be started'))
  const second = await adoptOrStartServer(options({ executable }))
  assert.deepEqual(second, { ...first, adopted: true })
  assert.equal(findRunningServers(options().database).length, 1)
  assert.match(steps.at(-1)!, /taking over the Temporal server that runs on 127\.0\.0\.1:/)
})

test('a server that hangs is ended, and another takes its place', async () => {
  const hung = await adoptOrStartServer(options())
  process.kill(hung.identity.pid, 'SIGSTOP')
  const next = await adoptOrStartServer(options())
  assert.equal(isRunning(hung.identity), false)
  assert.equal(next.adopted, false)
  assert.equal(findRunningServers(options().database).length, 1)
  assert.match(steps.join('\n'), /ending a Temporal server that was left running and does not answer/)
})

test('taken ports move on to free ones, and everything listens on loopback only', async () => {
  const wanted = await findFreePort(0)
  const blocker: Server = createServer()
  await new Promise<void>((resolve) => blocker.listen(wanted, '127.0.0.1', resolve))
  try {
    const server = await adoptOrStartServer(options({ port: wanted, uiPort: wanted }))
    assert.notEqual(server.port, wanted)
    assert.notEqual(server.uiPort, wanted)
    assert.notEqual(server.uiPort, server.port)
    assert.equal(await probeServer(server.address, 'fixwright', 1_000), 'serving')
    if (process.platform === 'linux') assert.deepEqual(foreignListeners(server.identity.pid), [])
  } finally {
    await new Promise((resolve) => blocker.close(resolve))
  }
})

test('two homes that want the same ports at the same moment get a server each', async () => {
  const port = await findFreePort(0)
  const uiPort = await findFreePort(0)
  const [one, two] = await Promise.all(
    ['one', 'two'].map((name) => {
      const own = { database: join(folder.path, `${name}.db`), logFile: join(folder.path, `${name}.log`) }
      return adoptOrStartServer(options({ ...own, port, uiPort }))
    }),
  )
  assert.notEqual(one!.port, two!.port)
  assert.notEqual(one!.identity.pid, two!.identity.pid)
})

test('a server that can not start is refused with its own words', async () => {
  const database = join(folder.path, 'temporal.db')
  writeFileSync(database, 'this is no database, and it is long enough to be seen as none: '.repeat(20))
  await assert.rejects(
    adoptOrStartServer(options({ database })),
    /did not start on .*temporal\.db\. It said: .*Its log: .*server\.log/s,
  )
  assert.deepEqual(findRunningServers(database), [])
  await assert.rejects(
    adoptOrStartServer(options({ executable: async () => '/nowhere/temporal' })),
    /did not start.*ENOENT/s,
  )
})

test('the namespace has the retention of the settings and all search attributes, also a second time', async () => {
  const { address } = await adoptOrStartServer(options())
  const connection = await Connection.connect({ address })
  const all = ['FixAwaiting', 'FixBranch', 'FixRepository', 'FixScore', 'FixSession', 'FixStatus']
  try {
    for (const round of [1, 2]) {
      const wanted = {
        namespace: 'fixwright',
        retentionDays: 30,
        onStep: (text: string) => steps.push(`${round} ${text}`),
      }
      assert.deepEqual((await prepareNamespace(connection, wanted)).sort(), all)
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'fixwright' })
      assert.equal(Number(config?.workflowExecutionRetentionTtl?.seconds), 30 * 86_400)
    }
    // As on somebody else's cluster: nothing is there yet, and it is usable when this returns.
    const other = { namespace: 'other', retentionDays: 7, onStep: () => {} }
    assert.deepEqual((await prepareNamespace(connection, other)).sort(), all)
    const query = `FixScore > 90 AND FixStatus = 'x'`
    await connection.workflowService.listWorkflowExecutions({ namespace: 'other', query })
  } finally {
    await connection.close()
  }
})

test('a log is cut when it grows too long, and its writer goes on', () => {
  const log = join(folder.path, 'log')
  writeFileSync(log, 'x'.repeat(100))
  rotateLog(log, 100)
  assert.equal(readFileSync(log, 'utf8').length, 100)
  rotateLog(log, 99)
  assert.equal(readFileSync(log, 'utf8'), '')
  assert.equal(readFileSync(`${log}.1`, 'utf8').length, 100)
})

/** Addresses other than loopback on which a process listens. */
function foreignListeners(pid: number): string[] {
  const loopback = ['0100007F', '00000000000000000000000001000000', '0000000000000000FFFF00000100007F']
  const inodes = new Set(socketsOf(pid))
  const rows = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/net/${name}`, 'latin1').trim().split('\n').slice(1),
  )
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && inodes.has(fields[9]!))
    .map((fields) => fields[1]!.split(':')[0]!)
    .filter((address) => !loopback.includes(address))
}

function socketsOf(pid: number): string[] {
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return ''
    }
  })
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [])
}
