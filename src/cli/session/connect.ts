// How a command gets at the instance: its home, its settings, and a client on the Temporal server that the instance has.

import { type Connected, type Early, onItsTemporal, reachInstance } from '../../app/connect-instance.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { type Home, openHome } from '../../runtime/home/home.ts'
import { openStore, type Store } from '../../store/store.ts'
import { badInput, CANNOT_GO_ON, Exit } from '../exit-codes.ts'
import { paint, say } from '../terminal/console.ts'

export { type Connected, connectEarly } from '../../app/connect-instance.ts'

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
    import('../../runtime/settings/effective-settings.ts'),
    import('../../runtime/settings/merge-settings.ts'),
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
  return onItsTemporal(await ownSettings(home), session)
}

export async function connect(
  home: Home,
  settings: Settings,
  kind: 'command' | 'up',
  early?: Early | undefined,
): Promise<Connected> {
  const onStep = (text: string): void => say(paint('dim', text))
  return await reachInstance({ home, settings, env: process.env, kind, early, onStep }).catch((error: Error) => {
    throw new Exit(CANNOT_GO_ON, error.message)
  })
}
