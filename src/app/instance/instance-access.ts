// One connection to the home's instance for all use cases, made when first needed: joins or starts the instance, and opens a client on
// its Temporal server. Most need only a link: a client takes a third of the CPU of a `fix`, and a third of the memory of `up`.
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment, Home } from '../../runtime/home/home.ts'
import type { JoinedInstance } from '../../runtime/instance/join-instance.ts'
import { openStore } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'
import { describeFailedStarts, describeRestart, PAUSES_BEFORE_STARTS_MS } from './failed-starts.ts'
import { createClientLink, createDoorLink, type InstanceConnection, type InstanceLink } from './instance-link.ts'

export interface InstanceAccess {
  /** Joins or starts the instance without a client; a later `connect` takes what is joined. */
  join(settings: Settings): Promise<JoinedInstance>
  /** Joins or starts the instance, for what it does for its commands; one of an earlier version takes a client. */
  reach(settings: Settings): Promise<InstanceLink>
  /** The same, after it has closed the sessions whose workflow is gone. */
  reconcile(settings: Settings): Promise<InstanceLink>
  /** Joins or starts the instance; after a success every call returns the same connection. */
  connect(settings: Settings): Promise<InstanceConnection>
  /** Replaces an instance that is gone, and the client if there was one. */
  replace(settings: Settings): Promise<InstanceLink>
  /** Replaces an instance that is gone, and leaves the client to the next one who needs it. */
  rejoin(settings: Settings): Promise<JoinedInstance>
  joined(): JoinedInstance | undefined
  /** The current connection, if something needed one. */
  current(): InstanceConnection | undefined
  close(): void
}

export interface InstanceAccessOptions {
  readonly home: Home
  readonly store: Store
  readonly env: Environment
  readonly lease?: 'command' | 'up'
  readonly onStep: (text: string) => void
}

export function createInstanceAccess(options: InstanceAccessOptions): InstanceAccess {
  let joining: Promise<JoinedInstance> | undefined
  let joined: JoinedInstance | undefined
  let connecting: Promise<InstanceConnection> | undefined
  let connected: InstanceConnection | undefined
  let takesClient = false
  return { join, reach, reconcile, connect, replace, rejoin, joined: () => joined, current: () => connected, close }

  async function join(settings: Settings): Promise<JoinedInstance> {
    joining ??= joinOrExplain(options, settings)
    const own = joining
    try {
      const made = await own
      if (joining === own) joined = made
      return made
    } catch (error) {
      if (joining === own) joining = undefined
      throw error
    }
  }

  async function connect(settings: Settings): Promise<InstanceConnection> {
    const isJoined = joining !== undefined
    takesClient = true
    connecting ??= withLiving(settings, (instance) => connectInstance(options.home, instance))
    const own = connecting
    try {
      const made = await own
      // It may have been closed meanwhile.
      if (connecting === own) connected = made
      return made
    } catch (error) {
      if (connecting === own) {
        connecting = undefined
        if (!isJoined) leave()
      }
      throw error
    }
  }

  async function reach(settings: Settings): Promise<InstanceLink> {
    const instance = await join(settings)
    if (instance.startsSessions) return createDoorLink(options.home, instance, () => connect(settings))
    return createClientLink(await connect(settings), options.store)
  }

  async function reconcile(settings: Settings): Promise<InstanceLink> {
    return await withLiving(settings, async () => {
      const link = await reach(settings)
      await link.reconcile()
      return link
    })
  }

  /** An instance that dies at its start takes its server with it: then `use` meets the next one. */
  async function withLiving<T>(settings: Settings, use: (instance: JoinedInstance) => Promise<T>): Promise<T> {
    for (let starts = 1; ; starts += 1) {
      const instance = await join(settings)
      try {
        return await use(instance)
      } catch (error) {
        // Another one is not wanted where this one was closed or replaced meanwhile.
        if (instance.isAlive() || joined !== instance) throw error
        if (starts === PAUSES_BEFORE_STARTS_MS.length) throw describeFailedStarts(options.home, starts)
        options.onStep(describeRestart(options.home, instance.startedByUs))
        await delay(PAUSES_BEFORE_STARTS_MS[starts])
        if (connected === undefined) leave()
        else close()
      }
    }
  }

  async function replace(settings: Settings): Promise<InstanceLink> {
    close()
    const link = await reach(settings)
    if (takesClient) await connect(settings)
    return link
  }

  async function rejoin(settings: Settings): Promise<JoinedInstance> {
    close()
    return await join(settings)
  }

  function close(): void {
    connected?.close()
    // Closing does not wait for a connection that is still being made.
    if (connected === undefined) connecting?.then((late) => late.close()).catch(() => undefined)
    connected = undefined
    connecting = undefined
    leave()
  }

  function leave(): void {
    joined?.leave()
    if (joined === undefined) joining?.then((late) => late.leave()).catch(() => undefined)
    joined = undefined
    joining = undefined
  }
}

async function joinOrExplain(
  { home, env, lease = 'command', onStep }: InstanceAccessOptions,
  settings: Settings,
): Promise<JoinedInstance> {
  const { joinInstance } = await import('../../runtime/instance/join-instance.ts')
  return await joinInstance({ home, env, settings, kind: lease, onStep }).catch((error: Error) => {
    throw new FixwrightError('instance_unavailable', error.message)
  })
}

async function connectInstance(home: Home, instance: JoinedInstance): Promise<InstanceConnection> {
  const { connectClient } = await import('../../client/connect.ts')
  const { address, connection, namespace, lost } = instance
  const connecting = connectClient({ ...connection, namespace })
  const { client, close } = await Promise.race([connecting, rejectWhenAborted(lost)]).catch((error: Error) => {
    void connecting.then((late) => late.close()).catch(() => undefined)
    throw new FixwrightError('temporal_unreachable', `Temporal at ${address} can't be reached: ${error.message}`)
  })
  return { instance, client, reconcile: async () => await reconcileSessions(home, client), close }
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return promise
}

async function reconcileSessions(home: Home, client: Client): Promise<void> {
  const [{ closeOrphanedSessions }, store] = await Promise.all([
    import('../../runtime/worker/close-orphaned-sessions.ts'),
    openStore(home.database),
  ])
  try {
    await closeOrphanedSessions(home, store, client)
  } finally {
    await store.close()
  }
}
