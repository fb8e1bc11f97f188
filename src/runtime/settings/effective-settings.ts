// The settings that hold here and now: this installation's defaults under everything that the person, their environment, their
// command line and, within its bounds, their repository say.
import { join } from 'node:path'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment, Home } from '../home/home.ts'
import { packageRoot } from '../home/package-root.ts'
import { type LoadedSettings, loadSettings, type SettingsSources } from './merge-settings.ts'

export interface EffectiveSettingsSources {
  readonly home: Home
  readonly env: Environment
  readonly flags?: Readonly<Record<string, unknown>> | undefined
  readonly repositoryYaml?: SettingsSources['repositoryYaml']
}

/** Throws a `SettingsError` with everything that is wrong. */
export function loadEffectiveSettings({ home, ...sources }: EffectiveSettingsSources): LoadedSettings {
  return loadSettings({ ...sources, defaultsFile: defaultSettingsPath(), userFile: home.settingsFile })
}

/** This installation's defaults, with nobody's word over them: what completes the settings of an older session. */
export function loadDefaultSettings(): Settings {
  return loadSettings({ defaultsFile: defaultSettingsPath(), env: {} }).settings
}

function defaultSettingsPath(): string {
  return join(packageRoot(), 'config', 'settings.yaml')
}
