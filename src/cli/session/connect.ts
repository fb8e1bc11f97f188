// How a command gets at the instance: its home, its settings, and a client on the Temporal server that the instance has.

import { FixwrightError } from '../../app/errors.ts'
import {
  connectInstance,
  type EarlyConnection,
  type InstanceConnection,
  withSessionTemporal,
} from '../../app/instance/connect-instance.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { type Home, openHome } from '../../runtime/home/home.ts'
import { openStore } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'
import { paint, printNotice } from '../terminal/console.ts'

export { type InstanceConnection, startConnecting } from '../../app/instance/connect-instance.ts'

export function openCliHome(): Home {
  try {
    return openHome(process.env)
  } catch (error) {
    throw new FixwrightError('home_unusable', (error as Error).message)
  }
}

/** For commands that only look into the store. */
export async function withStore<T>(use: (store: Store, home: Home) => Promise<T>): Promise<T> {
  const home = openCliHome()
  const store = await openStore(home.database)
  try {
    return await use(store, home)
  } finally {
    await store.close()
  }
}

/** The settings as they hold where no repository has a say. */
export async function loadOwnSettings(home: Home, flags: Readonly<Record<string, unknown>> = {}): Promise<Settings> {
  const { loadEffectiveSettings } = await import('../../runtime/settings/effective-settings.ts')
  return loadEffectiveSettings({ home, env: process.env, flags }).settings
}

/** What an instance for this session is started with: the person's settings of today, on the session's own Temporal. */
export async function loadSessionSettings(home: Home, session: SessionRecord): Promise<Settings> {
  return withSessionTemporal(await loadOwnSettings(home), session)
}

export async function connectFromCli(
  home: Home,
  settings: Settings,
  kind: 'command' | 'up',
  early?: EarlyConnection | undefined,
): Promise<InstanceConnection> {
  const onStep = (text: string): void => printNotice(paint('dim', text))
  return await connectInstance({ home, settings, env: process.env, kind, early, onProgress: onStep })
}
