// Joins the instance of a home, or starts it. Joining a running one costs a file read and a check of its process; starting one shows
// its steps, and its error if it fails.
import { isRunning } from '../../platform/processes/process-identity.ts'
import type { Home } from '../home/home.ts'
import { readPackageVersion } from '../home/package-root.ts'
import {
  type ConnectionOptions,
  findExternalCluster,
  toConnectionOptions,
} from '../temporal-server/external-cluster.ts'
import { findLiveInstance, type Instance } from './instance-file.ts'
import { type Lease, listLiveLeases, takeLease } from './leases.ts'
import { type InstanceStartOptions, instanceLogPath, startInstance } from './spawn-instance.ts'

export interface JoinOptions extends InstanceStartOptions {
  readonly kind: Lease['kind']
}

export interface JoinedInstance extends Instance {
  readonly connection: ConnectionOptions
  readonly startedByUs: boolean
  /** An earlier `up`: a second one is not needed, and says where the first is. */
  readonly otherUp: Lease | undefined
  isAlive(): boolean
  /** Whether its worker has come to run; of an instance that another command started, that is taken for granted. */
  isServing(): boolean
  /** Aborts when the instance is gone or serves at another address. Join again for its successor. */
  readonly lost: AbortSignal
  /** Gives the lease back. An instance that nobody needs ends. */
  leave(): void
}

const INSTANCE_POLL_MS = 1_000

export async function joinInstance(options: JoinOptions): Promise<JoinedInstance> {
  const { home, settings, env, kind } = options
  const cluster = await findExternalCluster(settings.temporal, env)
  const otherUp = kind === 'up' ? findUpLease(home) : undefined
  // The lease comes first: an instance that is about to end sees it and stays.
  const giveBack = takeLease(home, kind)
  try {
    const found = findLiveInstance(home)
    const start = found === undefined ? startInstance(options) : undefined
    const instance = found ?? (await start!.ready)
    const wanted = cluster?.connection.address
    if (instance.embedded ? wanted !== undefined : instance.address !== wanted) {
      throw new Error(
        `Fixwright runs already (process ${instance.identity.pid}) on Temporal at ${instance.address}, and you asked for ` +
          `${wanted ?? 'a server of its own'}. Wait until its commands have ended, or use another FIXWRIGHT_HOME.`,
      )
    }
    if (instance.version !== readPackageVersion()) {
      options.onStep(`joining an instance of version ${instance.version}; this is ${readPackageVersion()}`)
    }
    const watch = watchInstance(home, instance, start?.failed)
    const leave = () => {
      watch.end()
      giveBack()
    }
    const connection = toConnectionOptions(instance.address, cluster)
    return {
      ...instance,
      connection,
      startedByUs: start?.pid === instance.identity.pid,
      otherUp,
      isAlive: watch.isAlive,
      isServing: start?.isServing ?? (() => true),
      lost: watch.lost,
      leave,
    }
  } catch (error) {
    giveBack()
    throw error
  }
}

/** The `up` that keeps this home's instance running, if there is one. */
export function findUpLease(home: Home): Lease | undefined {
  return listLiveLeases(home).find((lease) => lease.kind === 'up')
}

function watchInstance(
  home: Home,
  instance: Instance,
  failed: Promise<string | undefined> = Promise.resolve(undefined),
) {
  const controller = new AbortController()
  const isAlive = () => isRunning(instance.identity)
  const lose = (reason: string) => controller.abort(new Error(`${reason}\nIts log: ${instanceLogPath(home)}`))
  const timer = setInterval(() => {
    // The instance may remove its file for a moment. Another address in the file is another server.
    const moved = (findLiveInstance(home)?.address ?? instance.address) !== instance.address
    if (isAlive() && !moved) return
    clearInterval(timer)
    // Its last message may arrive after its end.
    failed.then((reason) => lose(reason ?? `The instance of Fixwright (process ${instance.identity.pid}) is gone.`))
  }, INSTANCE_POLL_MS).unref()
  return { isAlive, lost: controller.signal, end: () => clearInterval(timer) }
}
