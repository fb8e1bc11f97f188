// The settings that hold, and where each came from. Layers from weak to strong: the defaults, the repository's own file (as of
// the base commit, few keys), the user's file, the environment, the command line. Lists replace, maps merge.
// Nothing wrong is passed over: all of it is told at once, with its place, what was expected and the nearest right key.
import { readFileSync } from 'node:fs'
import type { Settings } from '../domain/settings.ts'
import type { Environment } from './home.ts'
import { type Entry, type Layer, layerOfEnvironment, layerOfFlags, layerOfYaml } from './settings-layers.ts'
import { repositoryProblem } from './settings-repository.ts'
import { defaultOf, expectation, leafPaths, nearest, schemaAt } from './settings-shape.ts'

export interface SettingsSources {
  /** config/settings.yaml of this installation. */
  readonly defaultsFile: string
  /** The repository's .fixwright.yaml; `where` says which, e.g. `.fixwright.yaml of 1a2b3c4`. */
  readonly repositoryYaml?: { readonly text: string; readonly where: string } | undefined
  /** May be absent on disk. */
  readonly userFile?: string | undefined
  readonly env: Environment
  /** By path, e.g. `claude.timeout_seconds`; values as text or as they are. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined
}

export interface LoadedSettings {
  readonly settings: Settings
  /** By path: `default`, a file with its line, a variable, or `command line`. */
  readonly origins: Readonly<Record<string, string>>
}

export interface SettingsRow {
  readonly path: string
  readonly value: string
  readonly origin: string
}

export class SettingsError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`The settings can't be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.name = 'SettingsError'
    this.problems = problems
  }
}

export function loadSettings({
  defaultsFile,
  repositoryYaml,
  userFile,
  env,
  flags = {},
}: SettingsSources): LoadedSettings {
  const defaults = layerOfYaml(readFileSync(defaultsFile, 'utf8'), defaultsFile)
  const base = assemble([{ ...defaults, entries: defaults.entries.map((entry) => ({ ...entry, origin: 'default' })) }])
  const repository = repositoryYaml ? repositoryLayer(repositoryYaml, base.settings) : NOTHING
  const userText = userFile === undefined ? undefined : readIfThere(userFile)
  const user = userFile === undefined || userText === undefined ? NOTHING : layerOfYaml(userText, userFile)
  const profiles = profilesOf([defaults, user])
  const layers = [repository, user, layerOfEnvironment(env, profiles), layerOfFlags(flags, profiles)]
  return assemble([{ entries: entriesOf(base), problems: [] }, ...layers])
}

/** For people: every setting, its value and its origin. What looks like a secret inside of a value is not shown. */
export function describeSettings({ settings, origins }: LoadedSettings): SettingsRow[] {
  return leafPaths(Object.keys(settings.profiles)).map((path) => ({
    path,
    value: withoutSecrets(textOf(valueAt(settings, path.split('.')))),
    origin: origins[path] ?? 'default',
  }))
}

const NOTHING: Layer = { entries: [], problems: [] }

function repositoryLayer({ text, where }: { text: string; where: string }, defaults: Settings): Layer {
  const { entries, problems } = layerOfYaml(text, where)
  const layer: Layer = { entries: [], problems }
  for (const entry of entries) {
    const path = entry.keys.join('.')
    const problem = repositoryProblem(path, entry.value, defaults)
    if (problem === undefined) layer.entries.push(entry)
    else layer.problems.push(`${entry.origin}: ${path}: ${problem}`)
  }
  return layer
}

/** Later layers win. Only entries that fit the schema come this far, so what can still be wrong is what is missing. */
function assemble(layers: readonly Layer[]): LoadedSettings {
  const problems = layers.flatMap((layer) => layer.problems)
  const entries = layers.flatMap((layer) => layer.entries)
  const tree = {}
  const origins: Record<string, string> = {}
  for (const { keys, value, origin } of entries) {
    setAt(tree, keys, value)
    origins[keys.join('.')] = origin
  }
  const profiles = profilesOf(layers)
  const missing = leafPaths(profiles).filter((path) => origins[path] === undefined)
  for (const path of missing) {
    const keys = path.split('.')
    const schema = schemaAt(keys)
    const instead = schema && defaultOf(schema)
    if (instead) {
      setAt(tree, keys, instead.value)
      origins[path] = 'default'
      continue
    }
    const sibling = Object.keys(origins).find((each) => each.startsWith(path.slice(0, path.lastIndexOf('.') + 1)))
    problems.push(
      `${sibling && origins[sibling]}: ${path} is missing${schema ? `, must be ${expectation(schema)}` : ''}`,
    )
  }
  // Each leaf was parsed and none is missing, so this is what the schema would make of it; parsing the whole again costs 10 ms.
  const settings = tree as Settings
  if (!profiles.includes(settings.profile) && origins.profile !== undefined) {
    const better = nearest(settings.profile, profiles)
    const hint = better === undefined ? '' : `; did you mean ${better}?`
    problems.push(`${origins.profile}: profile is "${settings.profile}", must be one of ${profiles.join(', ')}${hint}`)
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return { settings, origins }
}

function entriesOf({ settings, origins }: LoadedSettings): Entry[] {
  return Object.entries(origins).map(([path, origin]) => {
    const keys = path.split('.')
    return { keys, value: valueAt(settings, keys), origin }
  })
}

function profilesOf(layers: readonly Layer[]): string[] {
  const names = layers.flatMap(({ entries }) => entries.filter(({ keys }) => keys[0] === 'profiles'))
  return [...new Set(names.map(({ keys }) => keys[1] as string))]
}

function setAt(target: object, keys: readonly string[], value: unknown): void {
  const [key = '', ...rest] = keys
  const map = target as Record<string, unknown>
  if (rest.length === 0) map[key] = value
  else {
    map[key] ??= {}
    setAt(map[key] as object, rest, value)
  }
}

function valueAt(source: unknown, keys: readonly string[]): unknown {
  return keys.reduce((value, key) => (value as Record<string, unknown>)[key], source)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Settings hold no secrets of ours, but a command or an address may carry one. */
function withoutSecrets(text: string): string {
  return text
    .replace(/\/\/[^/\s@"]+@/g, '//***@')
    .replace(/([\w-]*(?:token|secret|passwd|password|api[-_]?key)[\w-]*(?:\s*[=:]\s*|\s+))[^\s"',]+/gi, '$1***')
    .replace(/\b(?:sk-|ghp_|gho_|github_pat_|AIza|xox[bp]-)[\w-]{8,}/g, '***')
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
