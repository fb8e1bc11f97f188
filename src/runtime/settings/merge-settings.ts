// Loads the settings in effect. From weak to strong: this installation's defaults, the repository's file (few keys, more if trusted),
// the user's file, the environment, the command line.
import { readFileSync } from 'node:fs'
import { RefusedError } from '../../domain/errors/fixwright-error.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Environment, Home } from '../home/home.ts'
import { readDefaultSettings } from './default-settings.ts'
import { orderPolicy } from './order-policy.ts'
import { repositoryPolicy } from './repository-policy.ts'
import { describeExpected, findNearest, getSchemaDefault, listSettingPaths, schemaAt } from './schema-introspection.ts'
import {
  parseEnvironmentLayer,
  parseFlagsLayer,
  parseOrderLayer,
  parseYamlLayer,
  type SettingEntry,
  type SettingsLayer,
} from './settings-sources.ts'

export interface SettingsSources {
  /** The user's file may be absent. */
  readonly home: Pick<Home, 'settingsFile'>
  readonly repositoryYaml?: RepositoryYaml | undefined
  readonly env: Environment
  /** By path, e.g. `claude.timeout_seconds`, or by a flag's own name, e.g. `--max-cost`. Values are text or already typed. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined
  /** The settings of an order from outside, by path. They may only make things tighter. */
  readonly order?: Readonly<Record<string, unknown>> | undefined
}

export interface RepositoryYaml {
  readonly text: string
  /** For messages, e.g. `.fixwright.yaml of 1a2b3c4`. */
  readonly label: string
  /** Whether the operator has trusted exactly these bytes. */
  readonly isTrusted: boolean
}

export interface LoadedSettings {
  readonly settings: Settings
  /** Settings of the repository's file that do not count until the operator trusts it. */
  readonly ignored: readonly IgnoredSetting[]
  /** Path → `default`, a file with its line, a variable, or `command line`. */
  readonly origins: Readonly<Record<string, string>>
}

export interface IgnoredSetting {
  /** A setting's path, or a sentence about a problem. */
  readonly what: string
  readonly origin: string
}

export interface SettingsRow {
  readonly path: string
  readonly value: string
  readonly origin: string
}

export class SettingsError extends RefusedError {
  constructor(problems: readonly string[]) {
    super('settings_invalid', problems)
  }
}

/**
 * Lists replace, maps merge. Throws a `SettingsError` with all problems at once, each with its place, the expected value and the nearest
 * key.
 */
export function loadSettings({ home, repositoryYaml, env, flags = {}, order = {} }: SettingsSources): LoadedSettings {
  const defaults = readDefaultSettings().layer
  const base = mergeLayers([defaults])
  const user = parseYamlLayer(readFileIfPresent(home.settingsFile), home.settingsFile)
  const profiles = listProfileNames([defaults, user])
  const own = [user, parseEnvironmentLayer(env, profiles), parseFlagsLayer(flags, profiles)]
  const { ignored, ...repository } = repositoryYaml
    ? buildRepositoryLayer(repositoryYaml, base.settings, own)
    : EMPTY_REPOSITORY_LAYER
  const loaded = mergeLayers([{ entries: toEntries(base), problems: [] }, repository, ...own])
  if (Object.keys(order).length === 0) return { ...loaded, ignored }
  const layers = [{ entries: toEntries(loaded), problems: [] }, buildOrderLayer(order, loaded.settings)]
  return { ...mergeLayers(layers), ignored }
}

/** Lists every setting for people, with its value and origin. Text that looks like a secret is masked. */
export function describeSettings({ settings, origins }: LoadedSettings): SettingsRow[] {
  return listSettingPaths(Object.keys(settings.profiles)).map((path) => ({
    path,
    value: hideSecrets(formatValue(getValueAt(settings, path.split('.')))),
    origin: origins[path] ?? 'default',
  }))
}

interface RepositoryLayer extends SettingsLayer {
  readonly ignored: readonly IgnoredSetting[]
}

const EMPTY_REPOSITORY_LAYER: RepositoryLayer = { entries: [], problems: [], ignored: [] }

function buildRepositoryLayer(
  { text, label, isTrusted }: RepositoryYaml,
  defaults: Settings,
  own: SettingsLayer[],
): RepositoryLayer {
  const { entries, problems } = parseYamlLayer(text, isTrusted ? `trusted ${label}` : label)
  const counted: SettingEntry[] = []
  const ignored: IgnoredSetting[] = []
  for (const entry of entries) {
    const path = entry.keys.join('.')
    const verdict = repositoryPolicy(path, entry.value, { defaults, isTrusted })
    if (verdict.kind === 'counts') counted.push({ ...entry, value: verdict.value })
    else if (verdict.kind === 'never') problems.push(`${entry.origin}: ${path}: ${verdict.why}`)
    else ignored.push({ what: path, origin: entry.origin })
  }
  if (isTrusted || getUntrustedPolicy(defaults, own) === 'stop') return { entries: counted, problems, ignored }
  return { entries: counted, problems: [], ignored: [...problems.map((what) => ({ what, origin: label })), ...ignored] }
}

function buildOrderLayer(order: Readonly<Record<string, unknown>>, holds: Settings): SettingsLayer {
  const { entries, problems } = parseOrderLayer(order, Object.keys(holds.profiles))
  const permitted: SettingEntry[] = []
  for (const entry of entries) {
    const problem = orderPolicy(entry.keys.join('.'), entry.value, holds)
    if (problem === undefined) permitted.push(entry)
    else problems.push(`${entry.origin}: ${problem}`)
  }
  return { entries: permitted, problems }
}

/** The repository's own file has no say in this. */
function getUntrustedPolicy({ repository }: Settings, own: readonly SettingsLayer[]): unknown {
  const policy = own.flatMap(({ entries }) => entries).findLast(({ keys }) => keys.join('.') === 'repository.untrusted')
  return policy?.value ?? repository.untrusted
}

/** Later layers win. All entries fit the schema already, so only missing ones and the profile's name can be wrong here. */
function mergeLayers(layers: readonly SettingsLayer[]): Omit<LoadedSettings, 'ignored'> {
  const problems = layers.flatMap((layer) => layer.problems)
  const entries = layers.flatMap((layer) => layer.entries)
  const tree = {}
  const origins: Record<string, string> = {}
  for (const { keys, value, origin } of entries) {
    setValueAt(tree, keys, value)
    origins[keys.join('.')] = origin
  }
  const profiles = listProfileNames(layers)
  const missing = listSettingPaths(profiles).filter((path) => origins[path] === undefined)
  for (const path of missing) {
    const keys = path.split('.')
    const schema = schemaAt(keys)
    const instead = schema && getSchemaDefault(schema)
    if (instead) {
      setValueAt(tree, keys, instead.value)
      origins[path] = 'default'
      continue
    }
    const sibling = Object.keys(origins).find((each) => each.startsWith(path.slice(0, path.lastIndexOf('.') + 1)))
    problems.push(
      `${sibling && origins[sibling]}: ${path} is missing${schema ? `, must be ${describeExpected(schema)}` : ''}`,
    )
  }
  // Each leaf was parsed and none is missing, so the tree fits the schema; parsing it again would cost 10 ms.
  const settings = tree as Settings
  if (!profiles.includes(settings.profile) && origins.profile !== undefined) {
    const better = findNearest(settings.profile, profiles)
    const hint = better === undefined ? '' : `; did you mean ${better}?`
    problems.push(`${origins.profile}: profile is "${settings.profile}", must be one of ${profiles.join(', ')}${hint}`)
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return { settings, origins }
}

function toEntries({ settings, origins }: Pick<LoadedSettings, 'settings' | 'origins'>): SettingEntry[] {
  return Object.entries(origins).map(([path, origin]) => {
    const keys = path.split('.')
    return { keys, value: getValueAt(settings, keys), origin }
  })
}

function listProfileNames(layers: readonly SettingsLayer[]): string[] {
  const names = layers.flatMap(({ entries }) => entries.filter(({ keys }) => keys[0] === 'profiles'))
  return [...new Set(names.map(({ keys }) => keys[1] as string))]
}

function setValueAt(target: object, keys: readonly string[], value: unknown): void {
  const [key = '', ...rest] = keys
  const map = target as Record<string, unknown>
  if (rest.length === 0) map[key] = value
  else {
    map[key] ??= {}
    setValueAt(map[key] as object, rest, value)
  }
}

function getValueAt(source: unknown, keys: readonly string[]): unknown {
  return keys.reduce((value, key) => (value as Record<string, unknown>)[key], source)
}

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Settings hold no secrets of ours, but a command or an address may carry one. */
function hideSecrets(text: string): string {
  return text
    .replace(/\/\/[^/\s@"]+@/g, '//***@')
    .replace(/([\w-]*(?:token|secret|passwd|password|api[-_]?key)[\w-]*(?:\s*[=:]\s*|\s+))[^\s"',]+/gi, '$1***')
    .replace(/\b(?:sk-|ghp_|gho_|github_pat_|AIza|xox[bp]-)[\w-]{8,}/g, '***')
}

function readFileIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
