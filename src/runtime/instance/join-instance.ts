// Joins the instance of a home, or starts it: one background process for all commands. Joining a running one costs a file
// read and a look at a process; starting one shows its steps, and its error if it fails.
import { isRunning } from '../../platform/processes/process-identity.ts'
import type { Home } from '../home/home.ts'
import { packageVersion } from '../home/version.ts'
import { type ConnectionOptions, connectionOptions, externalCluster } from '../temporal-server/external-cluster.ts'
import { type Instance, liveInstance } from './instance-file.ts'
import { type Lease, liveLeases, takeLease } from './leases.ts'
import { logOf, type StartOptions, startInstance } from './spawn-instance.ts'

export interface JoinOptions extends StartOptions {
  readonly kind: Lease['kind']
}

export interface Joined extends Instance {
  /** What `Connection.connect` takes to reach the instance's server. */
  readonly connection: ConnectionOptions
  readonly startedByUs: boolean
  /** The `up` that was there before; a second one has nothing to add and says where the first is. */
  readonly otherUp: Lease | undefined
  isAlive(): boolean
  /** Aborts when the instance is gone or serves at another address; join again for its successor. */
  readonly lost: AbortSignal
  /** Gives the lease back: an instance that nobody needs ends. */
  leave(): void
}

const WATCH_MS = 250

export async function joinInstance(options: JoinOptions): Promise<Joined> {
  const { home, settings, env, kind } = options
  const cluster = await externalCluster(settings.temporal, env)
  const otherUp = kind === 'up' ? runningUp(home) : undefined
  // The lease comes first: an instance that is about to end sees it and stays.
  const giveBack = takeLease(home, kind)
  try {
    const found = liveInstance(home)
    const start = found === undefined ? startInstance(options) : undefined
    const instance = found ?? (await start!.ready)
    const wanted = cluster?.connection.address
    if (instance.embedded ? wanted !== undefined : instance.address !== wanted) {
      throw new Error(
        `Fixwright runs already (process ${instance.identity.pid}) on Temporal at ${instance.address}, and you asked for ` +
          `${wanted ?? 'a server of its own'}. Wait until its commands have ended, or use another FIXWRIGHT_HOME.`,
      )
    }
    if (instance.version !== packageVersion()) {
      options.onStep(`joining an instance of version ${instance.version}; this is ${packageVersion()}`)
    }
    const watch = watchInstance(home, instance, start?.failed)
    const leave = () => {
      watch.end()
      giveBack()
    }
    const connection = connectionOptions(instance.address, cluster)
    return {
      ...instance,
      connection,
      startedByUs: start?.pid === instance.identity.pid,
      otherUp,
      isAlive: watch.isAlive,
      lost: watch.lost,
      leave,
    }
  } catch (error) {
    giveBack()
    throw error
  }
}

/** The `up` that keeps this home's instance running, if there is one. */
export function runningUp(home: Home): Lease | undefined {
  return liveLeases(home).find((lease) => lease.kind === 'up')
}

function watchInstance(
  home: Home,
  instance: Instance,
  failed: Promise<string | undefined> = Promise.resolve(undefined),
) {
  const controller = new AbortController()
  const isAlive = () => isRunning(instance.identity)
  const lose = (reason: string) => controller.abort(new Error(`${reason}\nIts log: ${logOf(home)}`))
  const timer = setInterval(() => {
    // While it renews itself the file may be away for a moment; another address in it is another server.
    const moved = (liveInstance(home)?.address ?? instance.address) !== instance.address
    if (isAlive() && !moved) return
    clearInterval(timer)
    // What it said last can be later than its end.
    failed.then((said) => lose(said ?? `The instance of Fixwright (process ${instance.identity.pid}) is gone.`))
  }, WATCH_MS).unref()
  return { isAlive, lost: controller.signal, end: () => clearInterval(timer) }
}
