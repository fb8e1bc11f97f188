// The embedded Temporal server of one home: at most one process on its database, on loopback only, in a session of its own
// so that Ctrl-C in a terminal does not reach it. A server that an earlier Fixwright left running is taken over if it
// answers and ended if it does not. Whoever calls this holds the home's lock: nobody else starts one meanwhile.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endProcess, isRunning } from '../../platform/processes/process-identity.ts'
import type { Environment } from '../home/home.ts'
import { freePort, LOOPBACK, listens } from './free-port.ts'
import { probe } from './health-probe.ts'
import { boundLog } from './rotate-log.ts'
import { type RunningServer, serversOn } from './running-servers.ts'

export interface ServerOptions {
  readonly database: string
  readonly logFile: string
  readonly namespace: string
  /** Preferred; 0 for any. */
  readonly port: number
  readonly uiPort: number
  readonly env: Environment
  /** Asked only when a server has to be started. */
  readonly executable: () => Promise<string>
  readonly onStep: (text: string) => void
  /** The server is on its way: time to do something else meanwhile. */
  readonly onSpawn?: () => void
}

export interface TemporalServer extends RunningServer {
  readonly address: string
  readonly uiUrl: string
  /** Taken over from an earlier Fixwright, not started now. */
  readonly adopted: boolean
  /** From the start of its process, or of the look for one that runs, to its first answer. */
  readonly startMs: number
}

/** By name: the search attributes of a session, which the server is told of when it starts. */
export const SEARCH_ATTRIBUTES = {
  FixStatus: 'Keyword',
  FixRepository: 'Keyword',
  FixBranch: 'Keyword',
  FixAwaiting: 'Keyword',
  FixScore: 'Int',
} as const

const READY_MS = 30_000
// A server that was only just started by one who was then killed needs a moment; a hung one never answers.
const ADOPT_MS = 3_000
const STOP_GRACE_MS = 5_000
// The server says within 0.1 s that a port is taken; more than a few in a row is no coincidence.
const START_TRIES = 4

export async function openServer(options: ServerOptions): Promise<TemporalServer> {
  const adopted = await adopt(options)
  if (adopted !== undefined) return adopted
  const executable = await options.executable()
  for (let attempt = 1; ; attempt++) {
    const outcome = await start(executable, options)
    if (outcome.kind === 'started') return outcome.server
    if (outcome.kind === 'failed' || attempt === START_TRIES)
      throw new Error(startProblem(executable, options, outcome.said))
  }
}

/** Ends every server on this database: TERM, then KILL. */
export async function closeServer(database: string, graceMs: number = STOP_GRACE_MS): Promise<void> {
  await Promise.all(serversOn(database).map(({ identity }) => endProcess(identity, { graceMs })))
}

async function adopt(options: ServerOptions): Promise<TemporalServer | undefined> {
  const started = performance.now()
  const running = serversOn(options.database)
  const answering = await firstAnswering(running, options.namespace)
  // A wrapper around the executable has the same arguments and ports as the server itself: both belong to it.
  const leftovers = running.filter((each) => each.port !== answering?.port)
  for (const { identity } of leftovers) {
    options.onStep(`ending a Temporal server that was left running and does not answer (process ${identity.pid})`)
    await endProcess(identity, { graceMs: 1_000 })
  }
  if (answering === undefined) return undefined
  options.onStep(`taking over the Temporal server that runs on ${LOOPBACK}:${answering.port}`)
  return described(answering, { adopted: true, startMs: performance.now() - started })
}

async function firstAnswering(
  running: readonly RunningServer[],
  namespace: string,
): Promise<RunningServer | undefined> {
  for (const server of running) {
    const deadline = performance.now() + ADOPT_MS
    while (performance.now() < deadline && isRunning(server.identity)) {
      if ((await probe(`${LOOPBACK}:${server.port}`, namespace, 1_000)) !== 'silent') return server
      await delay(20)
    }
  }
  return undefined
}

type StartOutcome =
  | { readonly kind: 'started'; readonly server: TemporalServer }
  | { readonly kind: 'port-taken' | 'failed'; readonly said: string }

async function start(executable: string, options: ServerOptions): Promise<StartOutcome> {
  const port = await freePort(options.port)
  const uiPort = await freePort(options.uiPort, [port])
  options.onStep(`starting Temporal on ${LOOPBACK}:${port}, its UI on ${LOOPBACK}:${uiPort}`)
  const started = performance.now()
  const { child, said } = await launch(executable, port, uiPort, options)
  if (await answers(child, port, options, said)) {
    const running = serversOn(options.database).find((server) => server.port === port)
    if (running !== undefined) {
      const server = described(running, { adopted: false, startMs: performance.now() - started })
      return { kind: 'started', server }
    }
  }
  await closeServer(options.database, 1_000)
  return { kind: /address already in use/i.test(said()) ? 'port-taken' : 'failed', said: said() }
}

interface Launched {
  readonly child: ChildProcess
  /** What this start has written so far. */
  readonly said: () => string
}

async function launch(executable: string, port: number, uiPort: number, options: ServerOptions): Promise<Launched> {
  const folder = dirname(options.database)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  boundLog(options.logFile)
  const log = openSync(options.logFile, 'a', 0o600)
  const before = statSync(options.logFile).size
  const flags: readonly (readonly [string, string])[] = [
    ['--ip', LOOPBACK],
    ['--port', String(port)],
    ['--ui-port', String(uiPort)],
    ['--db-filename', options.database],
    // Measured: half the time an activity; a crash of the machine may lose the last moments, a crash of a process nothing.
    ['--sqlite-pragma', 'journal_mode=WAL'],
    ['--sqlite-pragma', 'synchronous=NORMAL'],
    // Made at the start they are there at once; made through the API they are there a second later.
    ['--namespace', options.namespace],
    ...Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => ['--search-attribute', `${name}=${type}`] as const),
    // By default a queue is looked at 20 times a second, after a burst of about 40: from the third workflow task of a second on
    // each waits 35 ms for its turn. Measured: 52 ms an activity with the default, 24 without that wait.
    ...['transfer', 'timer', 'visibility'].map(
      (queue) => ['--dynamic-config-value', `history.${queue}ProcessorMaxPollRPS=2000`] as const,
    ),
    // Timers are a second late by default, in case the clocks of a cluster's machines differ; here there is one machine. That
    // second is in each retry, each heartbeat time-out and each sleep.
    ['--dynamic-config-value', 'history.timerProcessorMaxTimeShift="10ms"'],
    ['--log-level', 'warn'],
  ]
  // A HOME of its own: a person's configuration of the Temporal CLI is about other clusters and must not bend this one.
  const env = { PATH: options.env.PATH, HOME: folder, TMPDIR: options.env.TMPDIR, TZ: options.env.TZ }
  const child = spawn(executable, ['server', 'start-dev', ...flags.flat()], {
    cwd: folder,
    env: { ...env, TEMPORAL_VERSION_CHECK_DISABLED: '1' },
    detached: true,
    stdio: ['ignore', log, log],
  })
  await once(child, 'spawn').catch((error: Error) => appendFileSync(options.logFile, `${error.message}\n`))
  child.unref()
  closeSync(log)
  options.onSpawn?.()
  return { child, said: () => readFileSync(options.logFile).subarray(before).toString('utf8').trim() }
}

async function answers(
  child: ChildProcess,
  port: number,
  options: ServerOptions,
  said: () => string,
): Promise<boolean> {
  const deadline = performance.now() + READY_MS
  while (performance.now() < deadline) {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return false
    const found = await probe(`${LOOPBACK}:${port}`, options.namespace, 1_000)
    if (found === 'serving' && isOurs(options.database, port, said)) return true
    await delay(5)
  }
  return false
}

/** Another home's server may have taken the port a moment before ours wanted it: its answer is none of ours. */
function isOurs(database: string, port: number, said: () => string): boolean {
  const pids = serversOn(database).map(({ identity }) => identity.pid)
  return listens(pids, port) ?? said().includes('Temporal Server:')
}

function described(server: RunningServer, how: Pick<TemporalServer, 'adopted' | 'startMs'>): TemporalServer {
  const uiUrl = `http://${LOOPBACK}:${server.uiPort}`
  return { ...server, ...how, address: `${LOOPBACK}:${server.port}`, uiUrl }
}

function startProblem(executable: string, options: ServerOptions, said: string): string {
  const words = said === '' ? 'It said nothing.' : `It said: ${said.slice(-1_500)}`
  return `The Temporal server (${executable}) did not start on ${options.database}. ${words}\nIts log: ${options.logFile}`
}
