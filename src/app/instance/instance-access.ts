// One connection to the home's instance for all use cases, made when first needed: joins or starts the instance, and opens a client on
// its Temporal server. `up` joins alone: a client takes a third of its memory, and most hours nobody needs one.
import type { Client } from '@temporalio/client'
import type { ConnectedClient } from '../../client/connect.ts'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment, Home } from '../../runtime/home/home.ts'
import { findLiveInstance } from '../../runtime/instance/instance-file.ts'
import type { JoinedInstance } from '../../runtime/instance/join-instance.ts'
import { openStore } from '../../store/open-store.ts'

export interface InstanceConnection {
  readonly instance: JoinedInstance
  readonly client: Client
  /** Closes sessions whose workflow is gone. */
  reconcile(): Promise<void>
  close(): void
}

export interface InstanceAccess {
  /** Joins or starts the instance without a client; a later `connect` takes what is joined. */
  join(settings: Settings): Promise<JoinedInstance>
  /** Joins or starts the instance; after a success every call returns the same connection. */
  connect(settings: Settings): Promise<InstanceConnection>
  /** Replaces a connection whose instance is gone. */
  reconnect(settings: Settings): Promise<InstanceConnection>
  /** Replaces an instance that is gone, and leaves the client to the next one who needs it. */
  rejoin(settings: Settings): Promise<JoinedInstance>
  joined(): JoinedInstance | undefined
  /** The current connection, if something needed one. */
  current(): InstanceConnection | undefined
  close(): void
}

export interface InstanceAccessOptions {
  readonly home: Home
  readonly env: Environment
  readonly lease?: 'command' | 'up'
  readonly connectEarly?: boolean
  readonly onStep: (text: string) => void
}

export function createInstanceAccess(options: InstanceAccessOptions): InstanceAccess {
  let early = options.connectEarly ? startConnecting(options.home) : undefined
  let joining: Promise<JoinedInstance> | undefined
  let joined: JoinedInstance | undefined
  let connecting: Promise<InstanceConnection> | undefined
  let connected: InstanceConnection | undefined
  return { join, connect, reconnect, rejoin, joined: () => joined, current: () => connected, close }

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
    connecting ??= connectInstance(options.home, join(settings), early)
    early = undefined
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

  async function reconnect(settings: Settings): Promise<InstanceConnection> {
    close()
    return await connect(settings)
  }

  async function rejoin(settings: Settings): Promise<JoinedInstance> {
    close()
    return await join(settings)
  }

  function close(): void {
    early?.closeUnused()
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

/** A connection to the running server, begun while a command still checks its input. */
interface EarlyConnection {
  readonly address: string | undefined
  readonly connecting: Promise<ConnectedClient> | undefined
  closeUnused(): void
}

/** Starts no instance. Loading the client's code alone takes longer than most commands' other preparations. */
function startConnecting(home: Home): EarlyConnection {
  const live = findLiveInstance(home)
  const loading = import('../../client/connect.ts')
  if (!live?.embedded) return { address: undefined, connecting: undefined, closeUnused: () => undefined }
  const { address, namespace } = live
  const connecting = loading.then(({ connectClient }) => connectClient({ address, namespace }))
  const closeUnused = (): void => void connecting.then(({ close }) => close()).catch(() => undefined)
  // A failure reaches whoever takes the connection; an unused one may fail silently.
  connecting.catch(() => undefined)
  return { address, connecting, closeUnused }
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

async function connectInstance(
  home: Home,
  joining: Promise<JoinedInstance>,
  early = startConnecting(home),
): Promise<InstanceConnection> {
  const instance = await joining.catch((error: Error) => {
    early.closeUnused()
    throw error
  })
  const { client, close } = await openClient(instance, early).catch((error: Error) => {
    throw new FixwrightError(
      'temporal_unreachable',
      `Temporal at ${instance.address} can't be reached: ${error.message}`,
    )
  })
  return { instance, client, reconcile: async () => await reconcileSessions(home, client), close }
}

async function openClient(
  { address, connection, namespace }: JoinedInstance,
  early: EarlyConnection,
): Promise<ConnectedClient> {
  const taken = early.address === address ? await early.connecting?.catch(() => undefined) : early.closeUnused()
  if (taken) return taken
  const { connectClient } = await import('../../client/connect.ts')
  return await connectClient({ ...connection, namespace })
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
