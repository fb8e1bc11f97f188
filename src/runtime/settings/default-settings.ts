// The weakest layer of settings: config/settings.yaml of this installation. Reading YAML takes longer than most commands, so the program's
// bundled files bring along what the file said when they were made, and believe it while the file still has that text.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../home/package-root.ts'
import { parseYamlLayer, type SettingsLayer } from './settings-sources.ts'

export interface DefaultSettings {
  readonly text: string
  readonly layer: SettingsLayer
}

/** A JSON text that scripts/bundle-program.ts puts in the place of this name; the sources have none. */
declare const FIXWRIGHT_BUNDLED_DEFAULTS: string | undefined

export function readDefaultSettings(): DefaultSettings {
  const file = join(packageRoot(), 'config', 'settings.yaml')
  const text = readFileSync(file, 'utf8')
  const bundled =
    typeof FIXWRIGHT_BUNDLED_DEFAULTS === 'string'
      ? (JSON.parse(FIXWRIGHT_BUNDLED_DEFAULTS) as DefaultSettings)
      : undefined
  if (bundled?.text === text) return bundled
  const { entries, problems } = parseYamlLayer(text, file)
  return { text, layer: { entries: entries.map((entry) => ({ ...entry, origin: 'default' })), problems } }
}
