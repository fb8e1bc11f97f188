// The embedded Temporal server of one home: at most one process on its database, on loopback only. The caller holds the home's lock, so
// no other process starts a server meanwhile.
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SEARCH_ATTRIBUTES } from '../../domain/workflow-types/temporal-names.ts'
import { endProcess, isRunning } from '../../platform/processes/process-identity.ts'
import type { Environment } from '../home/home.ts'
import { findFreePort, isListening, LOOPBACK } from './free-port.ts'
import { probeServer } from './health-probe.ts'
import { rotateLog } from './rotate-log.ts'
import { findRunningServers, type RunningServer } from './running-servers.ts'
import { type DetachedProcess, spawnDetached } from './spawn-detached.ts'

export interface ServerOptions {
  readonly database: string
  readonly logFile: string
  readonly namespace: string
  /** Preferred; 0 for any. */
  readonly port: number
  readonly uiPort: number
  readonly env: Environment
  /** Called only if a server has to be started. */
  readonly executable: () => Promise<string>
  readonly onStep: (text: string) => void
  /** Called once the server's process is started, so that other work can overlap with its start. */
  readonly onSpawn?: () => void
}

export interface TemporalServer extends RunningServer {
  readonly address: string
  readonly uiUrl: string
  /** Taken over from an earlier Fixwright, not started now. */
  readonly adopted: boolean
}

const READY_TIMEOUT_MS = 30_000
// A server whose instance was killed right after starting it needs a moment; a hung one never answers.
const ADOPT_TIMEOUT_MS = 3_000
const STOP_GRACE_MS = 5_000
// The server reports a taken port within 0.1 s; more than a few in a row are no coincidence.
const MAX_START_ATTEMPTS = 4

/** A server that an earlier Fixwright left running is taken over if it answers, and ended if it does not. */
export async function adoptOrStartServer(options: ServerOptions): Promise<TemporalServer> {
  const adopted = await adoptRunningServer(options)
  if (adopted !== undefined) return adopted
  const executable = await options.executable()
  for (let attempt = 1; ; attempt++) {
    const outcome = await startServer(executable, options)
    if (outcome.kind === 'started') return outcome.server
    if (outcome.kind === 'failed' || attempt === MAX_START_ATTEMPTS)
      throw new Error(describeStartFailure(executable, options, outcome.output))
  }
}

/** Ends every server on this database: TERM, then KILL. */
export async function stopServers(database: string, graceMs: number = STOP_GRACE_MS): Promise<void> {
  await Promise.all(findRunningServers(database).map(({ identity }) => endProcess(identity, { graceMs })))
}

async function adoptRunningServer(options: ServerOptions): Promise<TemporalServer | undefined> {
  const running = findRunningServers(options.database)
  const answering = await findAnsweringServer(running, options.namespace)
  // A wrapper around the executable has the same arguments and ports as the server, and is not ended for it.
  const hanging = running.filter((each) => each.port !== answering?.port)
  for (const { identity } of hanging) {
    options.onStep(`ending a Temporal server that was left running and does not answer (process ${identity.pid})`)
    await endProcess(identity, { graceMs: 1_000 })
  }
  if (answering === undefined) return undefined
  options.onStep(`taking over the Temporal server that runs on ${LOOPBACK}:${answering.port}`)
  return toTemporalServer(answering, true)
}

async function findAnsweringServer(
  running: readonly RunningServer[],
  namespace: string,
): Promise<RunningServer | undefined> {
  for (const server of running) {
    const deadline = performance.now() + ADOPT_TIMEOUT_MS
    while (performance.now() < deadline && isRunning(server.identity)) {
      if ((await probeServer(`${LOOPBACK}:${server.port}`, namespace, 1_000)) !== 'silent') return server
      await delay(20)
    }
  }
  return undefined
}

type StartOutcome =
  | { readonly kind: 'started'; readonly server: TemporalServer }
  | { readonly kind: 'port-taken' | 'failed'; readonly output: string }

async function startServer(executable: string, options: ServerOptions): Promise<StartOutcome> {
  const port = await findFreePort(options.port)
  const uiPort = await findFreePort(options.uiPort, [port])
  options.onStep(`starting Temporal on ${LOOPBACK}:${port}, its UI on ${LOOPBACK}:${uiPort}`)
  const { detached, readOutput } = await spawnServer(executable, port, uiPort, options)
  if (await waitUntilServing(detached, port, options, readOutput)) {
    const running = findRunningServers(options.database).find((server) => server.port === port)
    if (running !== undefined) return { kind: 'started', server: toTemporalServer(running, false) }
  }
  await stopServers(options.database, 1_000)
  return { kind: /address already in use/i.test(readOutput()) ? 'port-taken' : 'failed', output: readOutput() }
}

interface SpawnedServer {
  readonly detached: DetachedProcess
  /** The output of this start so far. */
  readonly readOutput: () => string
}

async function spawnServer(
  executable: string,
  port: number,
  uiPort: number,
  options: ServerOptions,
): Promise<SpawnedServer> {
  const folder = dirname(options.database)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  rotateLog(options.logFile)
  const before = statSync(options.logFile, { throwIfNoEntry: false })?.size ?? 0
  const flags: readonly (readonly [string, string])[] = [
    ['--ip', LOOPBACK],
    ['--port', String(port)],
    ['--ui-port', String(uiPort)],
    ['--db-filename', options.database],
    // Measured: an activity takes half the time. A crash of the machine may lose the last moments, a crash of a process nothing.
    ['--sqlite-pragma', 'journal_mode=WAL'],
    ['--sqlite-pragma', 'synchronous=NORMAL'],
    // Made at the start, the namespace and the attributes are there at once; made through the API, they take a second.
    ['--namespace', options.namespace],
    ...Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => ['--search-attribute', `${name}=${type}`] as const),
    // By default, a queue is polled 20 times a second after a burst of about 40, so from the third workflow task of a second on, each
    // waits 35 ms. Measured: 52 ms an activity with the default, 24 without that wait.
    ...['transfer', 'timer', 'visibility'].map(
      (queue) => ['--dynamic-config-value', `history.${queue}ProcessorMaxPollRPS=2000`] as const,
    ),
    // By default, timers are a second late, as the clocks of a cluster's machines may differ; here there is one machine. That second
    // would be in each retry, each heartbeat time-out and each sleep.
    ['--dynamic-config-value', 'history.timerProcessorMaxTimeShift="10ms"'],
    ['--log-level', 'warn'],
  ]
  // HOME is a folder of the server's own: a person's configuration of the Temporal CLI is for other clusters.
  const env = { PATH: options.env.PATH, HOME: folder, TMPDIR: options.env.TMPDIR, TZ: options.env.TZ }
  const detached = await spawnDetached(executable, ['server', 'start-dev', ...flags.flat()], {
    cwd: folder,
    env: { ...env, TEMPORAL_VERSION_CHECK_DISABLED: '1' },
    logFile: options.logFile,
  })
  options.onSpawn?.()
  return { detached, readOutput: () => readFileSync(options.logFile).subarray(before).toString('utf8').trim() }
}

async function waitUntilServing(
  detached: DetachedProcess,
  port: number,
  options: ServerOptions,
  readOutput: () => string,
): Promise<boolean> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  while (performance.now() < deadline) {
    if (detached.hasEnded()) return false
    const found = await probeServer(`${LOOPBACK}:${port}`, options.namespace, 1_000)
    if (found === 'serving' && ownsPort(options.database, port, readOutput)) return true
    await delay(5)
  }
  return false
}

/** Another home's server may have taken the port a moment before ours, and the answer may be its own. */
function ownsPort(database: string, port: number, readOutput: () => string): boolean {
  const pids = findRunningServers(database).map(({ identity }) => identity.pid)
  return isListening(pids, port) ?? readOutput().includes('Temporal Server:')
}

function toTemporalServer(server: RunningServer, adopted: boolean): TemporalServer {
  const uiUrl = `http://${LOOPBACK}:${server.uiPort}`
  return { ...server, adopted, address: `${LOOPBACK}:${server.port}`, uiUrl }
}

function describeStartFailure(executable: string, options: ServerOptions, output: string): string {
  const words = output === '' ? 'It said nothing.' : `It said: ${output.slice(-1_500)}`
  return `The Temporal server (${executable}) did not start on ${options.database}. ${words}\nIts log: ${options.logFile}`
}
