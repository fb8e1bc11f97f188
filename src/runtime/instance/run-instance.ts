// The instance of a home holds the lock and runs the Temporal server and the worker as long as a command holds a lease or a session
// runs; then it ends both. A killed instance leaves the server running for its successor.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Settings } from '../../domain/settings/schema.ts'
import { watchPath } from '../../platform/files/watch-path.ts'
import type { Logger } from '../../platform/logging/logger.ts'
import { isRunning, readOwnIdentity } from '../../platform/processes/process-identity.ts'
import { removeStaleDrafts } from '../../platform/processes/write-file-atomically.ts'
import type { Environment, Home } from '../home/home.ts'
import { type ServerOptions, stopServers } from '../temporal-server/adopt-or-start-server.ts'
import { findExternalCluster } from '../temporal-server/external-cluster.ts'
import { findTemporalExecutable } from '../temporal-server/find-executable.ts'
import { rotateLog } from '../temporal-server/rotate-log.ts'
import { type ConnectedWorker, connectWorker, type WorkerModule } from './connect-worker.ts'
import {
  describeEnvironment,
  findLiveInstance,
  getTaskQueues,
  type Instance,
  removeInstanceFile,
  writeInstanceFile,
} from './instance-file.ts'
import { listLiveLeases } from './leases.ts'
import { type Lock, takeLock } from './lock.ts'
import type { StartupReport } from './startup-messages.ts'
import { superviseTemporal, type TemporalSupervisor } from './supervise-temporal.ts'

export interface InstanceOptions {
  readonly home: Home
  readonly settings: Settings
  readonly env: Environment
  /** Fixwright's version. */
  readonly version: string
  /** Loads the worker's code. Called while the server starts, so that the two overlap. */
  readonly worker: () => Promise<WorkerModule>
  readonly report: (report: StartupReport) => void
  readonly log: Logger
  /** Ends the instance. */
  readonly stop: AbortSignal
}

const LOCK_POLL_MS = 25
/** A lease that is given back is noticed at once; this is for those of killed commands, for sessions that end, and for failures. */
const LOOK_EVERY_MS = 1_000
const LOG_ROTATION_CHECK_MS = 60_000
// If the worker gives up more often, another start does not help.
const MAX_RESTARTS_PER_MINUTE = 5

/** Serves until the instance is no longer needed. Returns at once if another instance of the home serves already. */
export async function runInstance(options: InstanceOptions): Promise<void> {
  const lock = await acquireLockOrFindInstance(options)
  if (lock === undefined) return
  try {
    for (const folder of [options.home.path, options.home.leases]) removeStaleDrafts(folder)
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
    // It is awaited below; until then, its failure must not end the process as an unhandled rejection.
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
  // With a cluster, an embedded server that a predecessor left is of no use.
  if (cluster !== undefined) await stopServers(home.temporalDatabase)
  const supervisor = cluster === undefined ? await superviseTemporal(serverOptions) : undefined
  const address = () => supervisor?.current().address ?? cluster?.connection.address ?? ''
  const uiUrl = () => supervisor?.current().uiUrl ?? settings.temporal.ui_url ?? null
  const announce = (attributes: readonly string[]): Instance => {
    const instance: Instance = {
      identity: readOwnIdentity(),
      version: options.version,
      startedAt,
      embedded: cluster === undefined,
      address: address(),
      uiUrl: uiUrl(),
      namespace,
      ...getTaskQueues(home, settings.temporal, { embedded: cluster === undefined }),
      attributes: [...attributes],
      environment: describeEnvironment(env),
      startsSessions: true,
    }
    writeInstanceFile(home, instance)
    report({ kind: 'ready', instance })
    return instance
  }
  try {
    // Commands go on from here: their orders wait in the server's queue for the worker.
    if (supervisor !== undefined) announce(supervisor.current().attributes)
    const module = await load()
    const restarts: number[] = []
    while (!options.stop.aborted) {
      const at = address()
      const server = supervisor?.current()
      const connecting = connectWorker({
        ...{ home, settings, env, cluster, address: at, namespace, module, log, onStep },
        uiUrl: uiUrl(),
      })
      const connected = await connecting.catch(async (error: Error) => {
        if (server === undefined || isRunning(server.identity)) throw error
        onStep(`the worker could not be started, as the Temporal server has ended: ${error.message}`)
        await supervisor?.waitUntilRunning(options.stop)
      })
      if (connected === undefined) continue
      try {
        const instance = announce(connected.context.attributes)
        report({ kind: 'serving' })
        const event = await waitForTermEnd(options, {
          connected,
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
        await connected.end()
      }
    }
  } finally {
    removeInstanceFile(home)
    await supervisor?.end()
  }
}

interface ServingState {
  readonly connected: ConnectedWorker
  readonly module: WorkerModule
  readonly instance: Instance
  readonly supervisor: TemporalSupervisor | undefined
  readonly isThere: () => boolean
}

/** Why a worker is let go: nobody needs the instance, the server moved to another address, or the worker's own error. */
async function waitForTermEnd(options: InstanceOptions, serving: ServingState): Promise<'stop' | 'moved' | Error> {
  const { home, stop } = options
  using leases = watchPath(home.leases)
  const doubts = new Set<string>()
  let logsCheckedAt = performance.now()
  for (;;) {
    if (stop.aborted) return 'stop'
    const [serverFailure, workerFailure] = [serving.supervisor?.failure(), serving.connected.failure()]
    if (serverFailure !== undefined) throw serverFailure
    if (!serving.isThere()) return 'moved'
    if (workerFailure !== undefined) return workerFailure
    if (listLiveLeases(home).length === 0 && (await isUnneeded(options, serving, doubts))) return 'stop'
    if (performance.now() - logsCheckedAt > LOG_ROTATION_CHECK_MS) {
      for (const name of ['temporal.log', 'instance.log']) rotateLog(join(home.logs, name))
      logsCheckedAt = performance.now()
    }
    await leases.wait(LOOK_EVERY_MS, stop)
  }
}

/**
 * Whether there is no lease and no session, and still no lease after the instance's file is removed. This order closes the race with a
 * command that joins: it writes its lease first and then looks for the file, so one of the two always sees the other. Where the store
 * can't tell of sessions the instance stays, and says each reason once: `doubts` are those that it has said.
 */
async function isUnneeded(
  { home, report }: InstanceOptions,
  { connected, module, instance }: ServingState,
  doubts: Set<string>,
): Promise<boolean> {
  const busy = await module.hasActiveSession(connected.context).catch(({ message }: Error) => {
    if (!doubts.has(message)) report({ kind: 'step', text: `whether a session runs can't be told: ${message}` })
    doubts.add(message)
    return true
  })
  if (busy || listLiveLeases(home).length > 0) return false
  removeInstanceFile(home)
  if (listLiveLeases(home).length === 0) return true
  writeInstanceFile(home, instance)
  return false
}
