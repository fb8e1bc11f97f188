// The instance of a home: lock, Temporal server, worker, in one background process. It serves as long as a command holds a
// lease or a session runs, and then ends everything it started. Killed, it leaves the server running for its successor.
// The order at the end closes the race with a command that joins: a joiner writes its lease and then looks for the
// instance's file; the instance takes its file away and then looks for leases. One of the two always sees the other.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Logger } from '../../platform/logging/logger.ts'
import { readOwnIdentity } from '../../platform/processes/process-identity.ts'
import type { Environment, Home } from '../home/home.ts'
import { findExternalCluster } from '../temporal-server/external-cluster.ts'
import { findTemporalExecutable } from '../temporal-server/find-executable.ts'
import { rotateLog } from '../temporal-server/rotate-log.ts'
import { type ServerOptions, stopServers } from '../temporal-server/start-server.ts'
import {
  findLiveInstance,
  getTaskQueues,
  type Instance,
  removeInstanceFile,
  writeInstanceFile,
} from './instance-file.ts'
import { PROCESS_POLL_MS, type ServerSupervisor, superviseServer } from './keep-server-alive.ts'
import { listLiveLeases } from './leases.ts'
import { type Lock, takeLock } from './lock.ts'
import type { StartupReport } from './startup-messages.ts'
import { startWorkerTerm, type WorkerModule, type WorkerTerm } from './worker-term.ts'

export interface InstanceOptions {
  readonly home: Home
  readonly settings: Settings
  readonly env: Environment
  /** Fixwright's. */
  readonly version: string
  /** Loads the worker's code; called when the server is on its way, so that the two starts overlap. */
  readonly worker: () => Promise<WorkerModule>
  readonly report: (report: StartupReport) => void
  readonly log: Logger
  /** Ends the instance. */
  readonly stop: AbortSignal
}

const LOCK_POLL_MS = 25
const BUSY_POLL_MS = 1_000
const LOG_ROTATION_CHECK_MS = 60_000
// A worker that gives up more often than that has a reason that another start does not mend.
const MAX_RESTARTS_PER_MINUTE = 5

/** Serves until it is no longer needed; returns at once when another instance of the home does already. */
export async function runInstance(options: InstanceOptions): Promise<void> {
  const lock = await acquireLockOrFindInstance(options)
  if (lock === undefined) return
  try {
    await serveUntilUnneeded(options)
  } finally {
    removeInstanceFile(options.home)
    lock.release()
  }
}

async function acquireLockOrFindInstance({ home, report, stop }: InstanceOptions): Promise<Lock | undefined> {
  for (let round = 1; !stop.aborted; round++) {
    const lock = takeLock(home.lockFile)
    if (lock !== undefined) return lock
    const instance = findLiveInstance(home)
    if (instance !== undefined) {
      report({ kind: 'ready', instance })
      return undefined
    }
    if (round * LOCK_POLL_MS === 1_000) {
      report({ kind: 'step', text: 'waiting for another start or end of the instance of this home' })
    }
    await delay(LOCK_POLL_MS)
  }
  return undefined
}

async function serveUntilUnneeded(options: InstanceOptions): Promise<void> {
  const { home, settings, env, log, report } = options
  const onStep = (text: string) => report({ kind: 'step', text })
  const cluster = await findExternalCluster(settings.temporal, env)
  const namespace = cluster?.namespace ?? settings.temporal.namespace
  let loading: Promise<WorkerModule> | undefined
  const load = () => {
    loading ??= options.worker()
    // Awaited below; until then its failure must not end the process as an unhandled one.
    loading.catch(() => {})
    return loading
  }
  const serverOptions: ServerOptions = {
    database: home.temporalDatabase,
    logFile: join(home.logs, 'temporal.log'),
    namespace,
    port: settings.temporal.port,
    uiPort: settings.temporal.ui_port,
    env,
    executable: async () =>
      (await findTemporalExecutable({ env, cache: home.cache, cli: settings.temporal.cli, onStep })).path,
    onStep,
    onSpawn: load,
  }
  const startedAt = new Date().toISOString()
  // A server of the home's own that a predecessor left is of no use beside a cluster.
  if (cluster !== undefined) await stopServers(home.temporalDatabase)
  const supervisor = cluster === undefined ? await superviseServer(serverOptions) : undefined
  const address = () => supervisor?.current().address ?? cluster?.connection.address ?? ''
  const announce = (attributes: readonly string[]): Instance => {
    const instance: Instance = {
      identity: readOwnIdentity(),
      version: options.version,
      startedAt,
      embedded: cluster === undefined,
      address: address(),
      uiUrl: supervisor?.current().uiUrl ?? null,
      namespace,
      ...getTaskQueues(home, settings.temporal, { embedded: cluster === undefined }),
      attributes: [...attributes],
    }
    writeInstanceFile(home, instance)
    report({ kind: 'ready', instance })
    return instance
  }
  try {
    // Commands go on from here: what they start waits in the server's queue until the worker is there.
    if (supervisor !== undefined) announce(supervisor.current().attributes)
    const module = await load()
    const restarts: number[] = []
    for (;;) {
      const at = address()
      const term = await startWorkerTerm({ home, settings, env, cluster, address: at, namespace, module, log, onStep })
      try {
        const instance = announce(term.context.attributes)
        report({ kind: 'serving' })
        const event = await waitForTermEnd(options, {
          term,
          module,
          instance,
          isThere: () => address() === at,
          supervisor: supervisor,
        })
        if (event === 'stop') return removeInstanceFile(home)
        if (event === 'moved') continue
        onStep(`the worker gave up and is started again: ${event.message}`)
        restarts.push(performance.now())
        if (restarts.filter((moment) => moment > performance.now() - 60_000).length > MAX_RESTARTS_PER_MINUTE)
          throw event
      } finally {
        await term.end()
      }
    }
  } finally {
    removeInstanceFile(home)
    await supervisor?.end()
  }
}

interface ServingState {
  readonly term: WorkerTerm
  readonly module: WorkerModule
  readonly instance: Instance
  readonly supervisor: ServerSupervisor | undefined
  /** Whether the server is still at the term's address. */
  readonly isThere: () => boolean
}

/** Why a term ends: nobody needs the instance, the server moved to another address, or the worker's own error. */
async function waitForTermEnd(options: InstanceOptions, serving: ServingState): Promise<'stop' | 'moved' | Error> {
  const { home, stop } = options
  let askAgainAt = 0
  let logsCheckedAt = performance.now()
  for (;;) {
    if (stop.aborted) return 'stop'
    const [serverFailure, workerFailure] = [serving.supervisor?.failure(), serving.term.failure()]
    if (serverFailure !== undefined) throw serverFailure
    if (!serving.isThere()) return 'moved'
    if (workerFailure !== undefined) return workerFailure
    if (listLiveLeases(home).length === 0 && performance.now() >= askAgainAt) {
      if (await isUnneeded(options, serving)) return 'stop'
      askAgainAt = performance.now() + BUSY_POLL_MS
    }
    if (performance.now() - logsCheckedAt > LOG_ROTATION_CHECK_MS) {
      for (const name of ['temporal.log', 'instance.log']) rotateLog(join(home.logs, name))
      logsCheckedAt = performance.now()
    }
    await delay(PROCESS_POLL_MS, undefined, { signal: stop }).catch(() => {})
  }
}

/** No lease, no session; and still no lease after the file is gone by which others join. */
async function isUnneeded(
  { home, report }: InstanceOptions,
  { term, module, instance }: ServingState,
): Promise<boolean> {
  const busy = await module.hasActiveSession(term.context).catch((error: Error) => {
    report({ kind: 'step', text: `whether a session runs can't be told: ${error.message}` })
    return false
  })
  if (busy || listLiveLeases(home).length > 0) return false
  removeInstanceFile(home)
  if (listLiveLeases(home).length === 0) return true
  writeInstanceFile(home, instance)
  return false
}
