// How a command gets at the instance: its home, and a client on the Temporal server that the instance has.
import type { Client } from '@temporalio/client'
import type { Settings } from '../domain/settings.ts'
import { type Home, openHome } from '../runtime/home.ts'
import { type Joined, joinInstance } from '../runtime/instance.ts'
import { openStore } from '../store/store.ts'
import { paint, say } from './console.ts'
import { CANNOT_GO_ON, Exit } from './exit.ts'

export interface Connected {
  readonly joined: Joined
  readonly client: Client
  /** Closes sessions whose workflow is gone. */
  reconcile(): Promise<void>
  leave(): void
}

export function homeOf(): Home {
  return openHome(process.env)
}

export async function connect(home: Home, settings: Settings, kind: 'command' | 'up'): Promise<Connected> {
  const onStep = (text: string): void => say(paint('dim', text))
  // The client's code takes longer to load than a running instance to find: both at once.
  const loading = import('@temporalio/client')
  const joined = await joinInstance({ home, settings, env: process.env, kind, onStep }).catch((error: Error) => {
    throw new Exit(CANNOT_GO_ON, error.message)
  })
  const { Client, Connection } = await loading
  const connection = await Connection.connect(joined.connection)
  const client = new Client({ connection, namespace: joined.namespace })
  return {
    joined,
    client,
    reconcile: async () => {
      const [{ reconcile }, store] = await Promise.all([import('../runtime/reconcile.ts'), openStore(home.database)])
      try {
        await reconcile(store, client)
      } finally {
        store.close()
      }
    },
    leave: () => {
      joined.leave()
      void connection.close()
    },
  }
}
