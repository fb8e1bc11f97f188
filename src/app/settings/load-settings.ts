// The settings that hold where no repository has a say.
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { HomeContext } from '../context.ts'

/** Throws a `SettingsError` with everything that is wrong. */
export async function loadOwnSettings({ home, env, flags }: HomeContext): Promise<Settings> {
  const { loadEffectiveSettings } = await import('../../runtime/settings/effective-settings.ts')
  return loadEffectiveSettings({ home, env, flags }).settings
}

/** What an instance for this session is started with: the person's settings of today, on the session's own Temporal. */
export async function loadSessionSettings(context: HomeContext, session: SessionRecord): Promise<Settings> {
  const own = await loadOwnSettings(context)
  return { ...own, temporal: session.settings.temporal }
}
