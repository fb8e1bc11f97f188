// `npm run bench:watches`: what it costs to wait for pull requests. Many real watches on one worker and a server of their own, and a forge
// that answers as GitHub does: memory for each while it waits, then requests, CPU and history for each look when nothing is new.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client, Connection } from '@temporalio/client'
import { WATCH_WORKFLOW, type WatchInput } from '../src/domain/workflow-types/index.ts'
import { resolveCachePath } from '../src/runtime/home/home.ts'
import { adoptOrStartServer, stopServers } from '../src/runtime/temporal-server/adopt-or-start-server.ts'
import { findTemporalExecutable } from '../src/runtime/temporal-server/find-executable.ts'
import { DEFAULT_SETTINGS } from '../test/support/store.ts'
import { readCpuMs, readResidentKb, untilResidentIsSettled } from './processes.ts'

const { values } = parseArgs({
  options: {
    watches: { type: 'string', default: '500' },
    looking: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '20' },
  },
})
const watches = Number(values.watches)
const looking = Number(values.looking)
const NAMESPACE = 'bench'
const QUEUE = 'watches'
/** The first ones pay for what all share. */
const WARM = 150

const seen = { looks: 0, unchanged: 0, others: 0 }
const forge = createServer((request, response) => {
  const number = /^\/api\/v3\/repos\/acme\/shop\/pulls\/(\d+)$/.exec(request.url ?? '')?.[1]
  if (number === undefined) {
    seen.others += 1
    response.writeHead(404).end()
    return
  }
  seen.looks += 1
  const etag = `"${number}"`
  const isUnchanged = request.headers['if-none-match'] === etag
  if (isUnchanged) seen.unchanged += 1
  response.writeHead(isUnchanged ? 304 : 200, { etag, 'content-type': 'application/json' })
  const pull = { merged: false, state: 'open', head: { ref: 'fix/it', sha: 'a' }, base: { ref: 'main' } }
  response.end(isUnchanged ? undefined : JSON.stringify(pull))
})
await new Promise<void>((resolve) => forge.listen(0, '127.0.0.1', resolve))
const host = `127.0.0.1:${(forge.address() as AddressInfo).port}`

const folder = mkdtempSync(join(tmpdir(), 'fixwright-watches-'))
const database = join(folder, 'temporal.db')
try {
  const { address, identity } = await adoptOrStartServer({
    ...{ database, logFile: join(folder, 'server.log'), namespace: NAMESPACE, port: 0, uiPort: 0, env: process.env },
    executable: async () =>
      (await findTemporalExecutable({ env: process.env, cache: resolveCachePath(process.env), onStep: () => {} })).path,
    onStep: () => {},
  })
  const script = join(import.meta.dirname, 'watches-worker.ts')
  const worker = spawn(process.execPath, [script, address, NAMESPACE, QUEUE], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    await once(worker, 'message')
    await measure(address, identity.pid, worker)
  } finally {
    worker.kill('SIGKILL')
    await once(worker, 'exit')
  }
} finally {
  forge.close()
  await stopServers(database)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function measure(address: string, server: number, { pid: worker = 0 }: ChildProcess): Promise<void> {
  const connection = await Connection.connect({ address })
  const { workflow } = new Client({ connection, namespace: NAMESPACE })
  const start = async (number: number, seconds: number): Promise<string> => {
    const input: WatchInput = {
      ...{ homeQueue: QUEUE, remote: `http://${host}/acme/shop.git`, repositoryId: 'repo', number, branch: 'fix/it' },
      name: `acme/shop#${number}`,
      github: {
        ...{ ...DEFAULT_SETTINGS.github, host, commands: false, look_again_seconds: 10 },
        ...{ watch_seconds: seconds, watch_max_seconds: seconds },
      },
    }
    const workflowId = `watch-${number}`
    await workflow.start(WATCH_WORKFLOW, { workflowId, taskQueue: QUEUE, args: [input] })
    return workflowId
  }
  const untilLooks = async (count: number): Promise<void> => {
    while (seen.looks < count) await delay(5)
  }

  for (let number = 1; number <= WARM; number += 1) await start(number, 3600)
  await untilLooks(WARM)
  await untilResidentIsSettled(worker)
  const before = { worker: readResidentKb(worker), server: readResidentKb(server) }
  for (let number = WARM + 1; number <= WARM + watches; number += 1) await start(number, 3600)
  await untilLooks(WARM + watches)
  await untilResidentIsSettled(worker)
  const after = { worker: readResidentKb(worker), server: readResidentKb(server) }

  const ids: string[] = []
  for (let number = 1; number <= looking; number += 1) ids.push(await start(100_000 + number, 1))
  await untilLooks(WARM + watches + looking)
  const [from, cpuFrom, events] = [
    { ...seen },
    { worker: readCpuMs(worker), server: readCpuMs(server) },
    await countEvents(ids),
  ]
  await delay(Number(values.seconds) * 1000)
  const looks = seen.looks - from.looks
  const cpu = (kind: 'worker' | 'server', pid: number): string =>
    `${((readCpuMs(pid) - cpuFrom[kind]) / looks).toFixed(1)} ms`
  const grown = (await countEvents(ids)) - events
  await connection.close()

  const each = (kind: 'worker' | 'server'): string => `${((after[kind] - before[kind]) / watches).toFixed(1)} KB`
  const lines = [
    `${watches} watches that wait, one worker, embedded server on a file:`,
    `  memory for each       worker ${each('worker')} · server ${each('server')} · no process of its own`,
    `${looks} looks at pull requests where nothing is new:`,
    `  requests for each     1, and ${seen.others} others in all · 304 in ${((100 * (seen.unchanged - from.unchanged)) / looks).toFixed(1)} %`,
    `  CPU for each          worker ${cpu('worker', worker)} · server ${cpu('server', server)}`,
    `  history for each      ${(grown / looks).toFixed(1)} events`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)

  async function countEvents(workflowIds: readonly string[]): Promise<number> {
    const described = await Promise.all(workflowIds.map((id) => workflow.getHandle(id).describe()))
    return described.reduce((sum, { historyLength }) => sum + historyLength, 0)
  }
}
