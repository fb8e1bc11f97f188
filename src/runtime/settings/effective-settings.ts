// The settings that hold here and now: this installation's defaults under everything that the person, their environment, their
// command line and, within its bounds, their repository say.
import { join } from 'node:path'
import type { Environment, Home } from '../home/home.ts'
import { packageRoot } from '../home/package-root.ts'
import { type LoadedSettings, loadSettings, type SettingsSources } from './merge-settings.ts'

export interface EffectiveSettingsSources {
  readonly home: Home
  readonly env: Environment
  readonly flags?: Readonly<Record<string, unknown>> | undefined
  readonly order?: SettingsSources['order']
  readonly repositoryYaml?: SettingsSources['repositoryYaml']
}

/** Throws a `SettingsError` with everything that is wrong. */
export function loadEffectiveSettings({ home, ...sources }: EffectiveSettingsSources): LoadedSettings {
  const defaultsFile = join(packageRoot(), 'config', 'settings.yaml')
  return loadSettings({ ...sources, defaultsFile, userFile: home.settingsFile })
}
