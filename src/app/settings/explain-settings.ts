// Lists each setting's effective value and its origin.
import { FixwrightError, RefusedError } from '../../domain/errors/fixwright-error.ts'
import { resolvePath } from '../../runtime/settings/aliases.ts'
import {
  describeSettings,
  type LoadedSettings,
  loadSettings,
  type SettingsRow,
} from '../../runtime/settings/merge-settings.ts'
import { describeUnknownKey } from '../../runtime/settings/settings-sources.ts'
import type { HomeContext } from '../context.ts'

export interface ExplainRequest {
  /** A setting or a group of settings. Default: all. */
  readonly path?: string | undefined
  /** Shows the settings for this repository. */
  readonly repository?: string | undefined
  readonly base?: string | undefined
}

export interface ExplainedSetting extends SettingsRow {
  /** The setting's value, or its text if that hides a possible secret. */
  readonly json: unknown
}

export interface ExplainedSettings {
  readonly rows: readonly ExplainedSetting[]
  /** The parts of the repository's file that have no effect. */
  readonly notes: readonly string[]
}

export async function explainSettings(context: HomeContext, request: ExplainRequest): Promise<ExplainedSettings> {
  const path = request.path === undefined ? undefined : resolvePath(request.path)
  const { loaded, notes } = await loadFor(context, request)
  const rows = describeSettings(loaded).filter((row) => isPathUnder(row.path, path))
  if (path !== undefined && rows.length === 0) {
    const known = Object.keys(loaded.settings.profiles)
    throw new FixwrightError('settings_invalid', describeUnknownKey(path.split('.'), known))
  }
  return { rows: rows.map((row) => ({ ...row, json: toJsonValue(loaded, row) })), notes }
}

async function loadFor(
  context: HomeContext,
  { repository, base }: ExplainRequest,
): Promise<{ readonly loaded: LoadedSettings; readonly notes: readonly string[] }> {
  if (repository === undefined) return { loaded: loadSettings(context), notes: [] }
  const { describeRepositorySettings } = await import('../../preflight/read-repository.ts')
  const found = await describeRepositorySettings({ repository, base }, context)
  if (found.kind === 'refused') throw new RefusedError(found.code, found.problems)
  return found
}

function isPathUnder(path: string, asked: string | undefined): boolean {
  return asked === undefined || path === asked || path.startsWith(`${asked}.`)
}

function toJsonValue({ settings }: LoadedSettings, { path, value }: SettingsRow): unknown {
  const own = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], settings)
  const text = typeof own === 'string' ? own : JSON.stringify(own)
  return text === value ? own : value
}
