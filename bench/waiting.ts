// `npm run bench:waiting`: what a session costs while it waits for a person. Thousands (`--sessions`) of real workflows on one worker and a server of
// their own, each with an open question: memory for each, CPU while nothing happens, and how long it takes from an answer to the next
// activity, beside the same with ten of them. The agents' part is left out: it is over by then.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client, Connection } from '@temporalio/client'
import { resolveCachePath } from '../src/runtime/home/home.ts'
import { adoptOrStartServer, stopServers } from '../src/runtime/temporal-server/adopt-or-start-server.ts'
import { findTemporalExecutable } from '../src/runtime/temporal-server/find-executable.ts'
import { MAX_CACHED_SESSIONS } from '../src/runtime/worker/worker.ts'
import { readCpuMs, readResidentKb, untilResidentIsSettled } from './processes.ts'

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000' },
    answers: { type: 'string', default: '100' },
    idle: { type: 'string', default: '10' },
  },
})
const sessions = Number(values.sessions)
const answers = Number(values.answers)
const FEW = 10
const WAVE = MAX_CACHED_SESSIONS / 2
const MOST_KB = 60
const NAMESPACE = 'bench'
const QUEUE = 'waiting'

const folder = mkdtempSync(join(tmpdir(), 'fixwright-waiting-'))
const database = join(folder, 'temporal.db')
try {
  const server = await adoptOrStartServer({
    database,
    logFile: join(folder, 'server.log'),
    namespace: NAMESPACE,
    port: 0,
    uiPort: 0,
    env: process.env,
    executable: async () =>
      (await findTemporalExecutable({ env: process.env, cache: resolveCachePath(process.env), onStep: () => {} })).path,
    onStep: () => {},
  })
  const worker = spawn(
    process.execPath,
    ['--expose-gc', join(import.meta.dirname, 'waiting-worker.ts'), server.address, NAMESPACE, QUEUE],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  )
  try {
    await measure(server.address, server.identity.pid, worker)
  } finally {
    worker.kill('SIGKILL')
    await once(worker, 'exit')
  }
} finally {
  await stopServers(database)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

interface News {
  readonly is: 'ready' | 'asked' | 'on' | 'collected'
  readonly heapKb?: number
  readonly sessionId?: string
}

async function measure(address: string, serverPid: number, worker: ChildProcess): Promise<void> {
  const workerPid = worker.pid ?? 0
  const asked = new Set<string>()
  const onAt = new Map<string, number>()
  let ready = false
  let heap: number | undefined
  const collect = async (): Promise<number> => {
    heap = undefined
    worker.send({})
    await until(() => heap !== undefined)
    return heap ?? 0
  }
  worker.on('message', ({ is, sessionId = '', heapKb }: News) => {
    if (is === 'collected') heap = heapKb
    if (is === 'ready') ready = true
    if (is === 'asked') asked.add(sessionId)
    if (is === 'on') onAt.set(sessionId, performance.now())
  })
  await until(() => ready)
  const connection = await Connection.connect({ address })
  const client = new Client({ connection, namespace: NAMESPACE })

  const start = async (name: string): Promise<void> => {
    await client.workflow.start('fixSession', { workflowId: name, taskQueue: QUEUE, args: [{ sessionId: name }] })
  }
  const startMany = async (prefix: string, count: number): Promise<string[]> => {
    const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`)
    // More sessions at work than the worker keeps in memory would be replayed at every step.
    for (let at = 0; at < count; at += WAVE) {
      const wave = names.slice(at, at + WAVE)
      await Promise.all(wave.map(start))
      await until(() => wave.every((name) => asked.has(name)))
    }
    return names
  }
  const answer = async (name: string): Promise<number> => {
    const from = performance.now()
    const message = { answers: { 'BE-001-q1': 'the stricter rule' }, by: 'the bench' }
    await client.workflow.getHandle(name).executeUpdate('answerClarification', { args: [message] })
    await until(() => onAt.has(name))
    return (onAt.get(name) ?? 0) - from
  }
  const answerAll = async (names: readonly string[]): Promise<number[]> => {
    const times: number[] = []
    for (const name of names) times.push(await answer(name))
    return times
  }

  await answerAll(await startMany('settling', FEW))
  const few: number[] = []
  for (let round = 0; few.length < answers; round += 1)
    few.push(...(await answerAll(await startMany(`few${round}`, FEW))))

  const heapBefore = await collect()
  await untilResidentIsSettled(workerPid)
  const before = { worker: readResidentKb(workerPid), server: readResidentKb(serverPid) }
  const names = await startMany('many', sessions)
  const heapAfter = await collect()
  await untilResidentIsSettled(workerPid)
  const after = { worker: readResidentKb(workerPid), server: readResidentKb(serverPid) }
  const idleMs = Number(values.idle) * 1000
  const cpuBefore = { worker: readCpuMs(workerPid), server: readCpuMs(serverPid) }
  await delay(idleMs)
  const idle = { worker: readCpuMs(workerPid) - cpuBefore.worker, server: readCpuMs(serverPid) - cpuBefore.server }
  const many = await answerAll(names.slice(0, answers))
  await connection.close()

  const each = (kind: 'worker' | 'server'): string => `${((after[kind] - before[kind]) / sessions).toFixed(1)} KB`
  const kept = `${((heapAfter - heapBefore) / Math.min(sessions, MAX_CACHED_SESSIONS)).toFixed(1)} KB`
  const share = (ms: number): string => `${((100 * ms) / idleMs).toFixed(1)} %`
  const line = (times: readonly number[]): string => `p50 ${percentile(times, 50)} ms · p99 ${percentile(times, 99)} ms`
  process.stdout.write(
    `${[
      `${sessions} sessions that wait for a person, one worker, embedded server on a file:`,
      `  memory for each       worker ${each('worker')} · server ${each('server')}`,
      `  kept in its heap      ${kept} (bound ${MOST_KB}) for each of the ${Math.min(sessions, MAX_CACHED_SESSIONS)} that it has cached; none of the others`,
      `  CPU while they wait   worker ${share(idle.worker)} · server ${share(idle.server)} of one core`,
      `  answer → next activity, ${FEW} waiting      ${line(few)}`,
      `  answer → next activity, ${sessions} waiting    ${line(many)} · ratio of p50 ${(percentile(many, 50) / percentile(few, 50)).toFixed(2)}`,
    ].join('\n')}\n`,
  )
}

function percentile(times: readonly number[], percent: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0)
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(1)
}
