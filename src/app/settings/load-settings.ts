// Loads the settings that no repository influences.
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { HomeContext } from '../context.ts'

export { SHORT_FLAGS } from '../../runtime/settings/flags.ts'

/** Throws a `SettingsError` that lists every problem. */
export async function loadOwnSettings({ home, env, flags }: HomeContext): Promise<Settings> {
  const { loadSettings } = await import('../../runtime/settings/merge-settings.ts')
  return loadSettings({ home, env, flags }).settings
}

/** The person's current settings, with the session's own Temporal, to start an instance for this session. */
export async function loadSessionSettings(context: HomeContext, session: SessionRecord): Promise<Settings> {
  const own = await loadOwnSettings(context)
  return { ...own, temporal: session.settings.temporal }
}
