// How a command gets at the instance: its home, its settings, and a client on the Temporal server that the instance has.
import type { Client } from '@temporalio/client'
import type { ConnectedClient } from '../client/connect.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { Settings } from '../domain/settings.ts'
import { type Home, openHome } from '../runtime/home.ts'
import type { Joined } from '../runtime/instance.ts'
import { liveInstance } from '../runtime/instance-file.ts'
import { openStore, type Store } from '../store/store.ts'
import { paint, say } from './console.ts'
import { badInput, CANNOT_GO_ON, Exit } from './exit.ts'

export interface Connected {
  readonly joined: Joined
  readonly client: Client
  /** Closes sessions whose workflow is gone. */
  reconcile(): Promise<void>
  leave(): void
}

export function homeOf(): Home {
  try {
    return openHome(process.env)
  } catch (error) {
    throw new Exit(CANNOT_GO_ON, (error as Error).message)
  }
}

/** For commands that only look into the store. */
export async function withStore<T>(use: (store: Store, home: Home) => Promise<T>): Promise<T> {
  const home = homeOf()
  const store = await openStore(home.database)
  try {
    return await use(store, home)
  } finally {
    store.close()
  }
}

/** The settings as they hold where no repository has a say. */
export async function ownSettings(home: Home, flags: Readonly<Record<string, unknown>> = {}): Promise<Settings> {
  const [{ effectiveSettings }, { SettingsError }] = await Promise.all([
    import('../runtime/effective-settings.ts'),
    import('../runtime/settings.ts'),
  ])
  try {
    return effectiveSettings({ home, env: process.env, flags }).settings
  } catch (error) {
    if (error instanceof SettingsError) throw badInput(error.problems)
    throw error
  }
}

/** What an instance for this session is started with: the person's settings of today, on the session's own Temporal. */
export async function settingsFor(home: Home, session: SessionRecord): Promise<Settings> {
  const { temporal } = session.settings as Partial<Settings>
  const own = await ownSettings(home)
  return temporal === undefined ? own : { ...own, temporal: { ...own.temporal, ...temporal } }
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

export async function connect(
  home: Home,
  settings: Settings,
  kind: 'command' | 'up',
  early = connectEarly(home),
): Promise<Connected> {
  const onStep = (text: string): void => say(paint('dim', text))
  const { joinInstance } = await import('../runtime/instance.ts')
  const joined = await joinInstance({ home, settings, env: process.env, kind, onStep }).catch((error: Error) => {
    early.drop()
    throw new Exit(CANNOT_GO_ON, error.message)
  })
  const { client, close } = await clientOf(joined, early).catch((error: Error) => {
    joined.leave()
    throw new Exit(CANNOT_GO_ON, `Temporal at ${joined.address} can't be reached: ${error.message}`)
  })
  return {
    joined,
    client,
    reconcile: async () => {
      const [{ reconcile }, store] = await Promise.all([import('../runtime/reconcile.ts'), openStore(home.database)])
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
