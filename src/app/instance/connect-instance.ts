// Joins or starts the instance of a home, and opens a client on its Temporal server.
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

export interface ConnectRequest {
  readonly home: Home
  readonly settings: Settings
  readonly env: Environment
  readonly kind: 'command' | 'up'
  readonly early?: EarlyConnection | undefined
  readonly onStep: (text: string) => void
}

/** A connection to the running server, begun while a command still checks its input. */
export interface EarlyConnection {
  readonly address: string | undefined
  readonly connecting: Promise<ConnectedClient> | undefined
  closeUnused(): void
}

/** Starts no instance. Loading the client's code alone takes longer than most commands' other preparations. */
export function startConnecting(home: Home): EarlyConnection {
  const live = findLiveInstance(home)
  const loading = import('../../client/connect.ts')
  if (!live?.embedded) return { address: undefined, connecting: undefined, closeUnused: () => undefined }
  const { address, namespace } = live
  const connecting = loading.then(({ connectClient }) => connectClient({ address, namespace }))
  const drop = (): void => void connecting.then(({ close }) => close()).catch(() => undefined)
  // A failure reaches whoever takes the connection; an unused one may fail silently.
  connecting.catch(() => undefined)
  return { address, connecting, closeUnused: drop }
}

export async function connectInstance({
  home,
  early = startConnecting(home),
  ...options
}: ConnectRequest): Promise<InstanceConnection> {
  const { joinInstance } = await import('../../runtime/instance/join-instance.ts')
  const joined = await joinInstance({ home, ...options }).catch((error: Error) => {
    early.closeUnused()
    throw new FixwrightError('instance_unavailable', error.message)
  })
  const { client, close } = await openClient(joined, early).catch((error: Error) => {
    joined.leave()
    throw new FixwrightError('temporal_unreachable', `Temporal at ${joined.address} can't be reached: ${error.message}`)
  })
  return {
    instance: joined,
    client,
    reconcile: async () => {
      const [{ closeOrphanedSessions }, store] = await Promise.all([
        import('../../runtime/worker/close-orphaned-sessions.ts'),
        openStore(home.database),
      ])
      try {
        await closeOrphanedSessions(home, store, client)
      } finally {
        await store.close()
      }
    },
    close: () => {
      joined.leave()
      close()
    },
  }
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
