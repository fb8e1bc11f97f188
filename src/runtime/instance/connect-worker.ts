// Connects a worker to a prepared namespace. When the worker gives up or the server's address changes, the instance lets it go and connects
// another.
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { NativeConnection } from '@temporalio/worker'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Logger } from '../../platform/logging/logger.ts'
import type { Environment, Home } from '../home/home.ts'
import {
  type ConnectionOptions,
  type ExternalCluster,
  toConnectionOptions,
} from '../temporal-server/external-cluster.ts'
import { prepareNamespace } from '../temporal-server/prepare-namespace.ts'
import { getTaskQueues } from './instance-file.ts'
import { installTemporalRuntime } from './temporal-runtime.ts'

export interface WorkerContext {
  readonly home: Home
  readonly settings: Settings
  readonly env: Environment
  readonly log: Logger
  /** Already connected. The instance closes it after the worker has stopped. */
  readonly connection: NativeConnection
  readonly connectionOptions: ConnectionOptions
  readonly namespace: string
  /** The address of Temporal's UI; null if it is not known. */
  readonly uiUrl: string | null
  readonly taskQueue: string
  readonly hostQueue: string
  readonly attributes: readonly string[]
  /** Names this worker in Temporal's histories. */
  readonly identity: string
}

export interface RunningWorker {
  /** Drains the worker: it takes no new work, and running work gets a grace period. */
  stop(): Promise<void>
  /** Resolves when the worker can't go on by itself. */
  readonly failed: Promise<Error>
}

export interface WorkerModule {
  startWorker(context: WorkerContext): Promise<RunningWorker>
  /** Whether a session is active. Called only when no lease is left. */
  hasActiveSession(context: WorkerContext): Promise<boolean>
}

export interface ConnectedWorker {
  readonly context: WorkerContext
  /** Why the worker gave up; undefined while it runs. */
  failure(): Error | undefined
  end(): Promise<void>
}

export interface ConnectOptions {
  readonly home: Home
  readonly settings: Settings
  readonly env: Environment
  readonly cluster: ExternalCluster | undefined
  readonly address: string
  readonly namespace: string
  readonly uiUrl: string | null
  readonly module: WorkerModule
  readonly log: Logger
  readonly onStep: (text: string) => void
}

const CONNECT_TIMEOUT_MS = 15_000
// After this, we no longer wait for a worker: the end of the process ends it.
const DRAIN_TIMEOUT_MS = 60_000

export async function connectWorker(options: ConnectOptions): Promise<ConnectedWorker> {
  const { home, settings, env, namespace, log, onStep } = options
  const reach = toConnectionOptions(options.address, options.cluster)
  await installTemporalRuntime(log, settings.metrics)
  const connection = await connectOrExplain(reach)
  try {
    const retentionDays = settings.temporal.retention_days
    const attributes = await prepareNamespace(connection, { namespace, retentionDays, onStep })
    const identity = `fixwright-${home.hostId} ${process.pid}@${hostname()}`
    const context = {
      home,
      settings,
      env,
      log,
      connection,
      connectionOptions: reach,
      namespace,
      uiUrl: options.uiUrl,
      attributes,
      identity,
      ...getTaskQueues(home, settings.temporal, { embedded: options.cluster === undefined }),
    }
    const worker = await options.module.startWorker(context)
    let failure: Error | undefined
    worker.failed.then((error) => {
      failure = error
    })
    const end = async () => {
      await Promise.race([worker.stop().catch(() => {}), delay(DRAIN_TIMEOUT_MS, undefined, { ref: false })])
      await connection.close().catch(() => {})
    }
    return { context, failure: () => failure, end }
  } catch (error) {
    await connection.close().catch(() => {})
    throw error
  }
}

async function connectOrExplain(reach: ConnectionOptions): Promise<NativeConnection> {
  const { NativeConnection } = await import('@temporalio/worker')
  const late = delay(CONNECT_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000} s`)
  })
  try {
    return await Promise.race([NativeConnection.connect(reach), late])
  } catch (error) {
    throw new Error(
      `Temporal at ${reach.address} can't be reached: ${(error as Error).message}. Is it running, and are address, TLS and API key right?`,
    )
  }
}
