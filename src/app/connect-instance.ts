// How a command or a script gets at the instance: joined or started, with a client on the Temporal server that it has.
import type { Client } from '@temporalio/client'
import type { ConnectedClient } from '../client/connect.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import type { Settings } from '../domain/settings/schema.ts'
import type { Environment, Home } from '../runtime/home/home.ts'
import { liveInstance } from '../runtime/instance/instance-file.ts'
import type { Joined } from '../runtime/instance/join-instance.ts'
import { openStore } from '../store/store.ts'

export interface Connected {
  readonly joined: Joined
  readonly client: Client
  /** Closes sessions whose workflow is gone. */
  reconcile(): Promise<void>
  leave(): void
}

export interface Reach {
  readonly home: Home
  readonly settings: Settings
  readonly env: Environment
  readonly kind: 'command' | 'up'
  readonly early?: Early | undefined
  readonly onStep: (text: string) => void
}

/** A connection to the server that runs now, begun while a command still looks at what it was given. */
export interface Early {
  readonly address: string | undefined
  readonly connecting: Promise<ConnectedClient> | undefined
  /** Closes it, where nobody took it. */
  drop(): void
}

/** Starts nothing; loading the client's code alone takes longer than most commands need for the rest of what they do first. */
export function connectEarly(home: Home): Early {
  const live = liveInstance(home)
  const loading = import('../client/connect.ts')
  if (!live?.embedded) return { address: undefined, connecting: undefined, drop: () => undefined }
  const { address, namespace } = live
  const connecting = loading.then(({ connectClient }) => connectClient({ address, namespace }))
  const drop = (): void => void connecting.then(({ close }) => close()).catch(() => undefined)
  // Who takes it hears of its failure; until then that is no news.
  connecting.catch(() => undefined)
  return { address, connecting, drop }
}

export async function reachInstance({ home, early = connectEarly(home), ...order }: Reach): Promise<Connected> {
  const { joinInstance } = await import('../runtime/instance/join-instance.ts')
  const joined = await joinInstance({ home, ...order }).catch((error: Error) => {
    early.drop()
    throw error
  })
  const { client, close } = await clientOf(joined, early).catch((error: Error) => {
    joined.leave()
    throw new Error(`Temporal at ${joined.address} can't be reached: ${error.message}`)
  })
  return {
    joined,
    client,
    reconcile: async () => {
      const [{ reconcile }, store] = await Promise.all([
        import('../runtime/worker/close-orphaned-sessions.ts'),
        openStore(home.database),
      ])
      try {
        await reconcile(home, store, client)
      } finally {
        store.close()
      }
    },
    leave: () => {
      joined.leave()
      close()
    },
  }
}

async function clientOf({ address, connection, namespace }: Joined, early: Early): Promise<ConnectedClient> {
  const taken = early.address === address ? await early.connecting?.catch(() => undefined) : early.drop()
  if (taken) return taken
  const { connectClient } = await import('../client/connect.ts')
  return await connectClient({ ...connection, namespace })
}

/** What an instance for this session is started with: the person's settings of today, on the session's own Temporal. */
export function onItsTemporal(own: Settings, session: SessionRecord): Settings {
  const { temporal } = session.settings as Partial<Settings>
  return temporal === undefined ? own : { ...own, temporal: { ...own.temporal, ...temporal } }
}
