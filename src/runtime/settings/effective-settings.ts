// Loads the settings in effect: this installation's defaults, overridden by the user's file, the environment, the command line and,
// within limits, the repository.
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

/** Throws a `SettingsError` with all problems at once. */
export function loadEffectiveSettings({ home, ...sources }: EffectiveSettingsSources): LoadedSettings {
  const defaultsFile = join(packageRoot(), 'config', 'settings.yaml')
  return loadSettings({ ...sources, defaultsFile, userFile: home.settingsFile })
}
