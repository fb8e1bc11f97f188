// Parses one layer of settings (a file, the environment, the flags), each value with its origin. Every key and value is checked on its
// own against the schema, so that one pass finds all problems.
import { isMap, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { truncateText } from '../../domain/text/truncate.ts'
import type { Environment } from '../home/home.ts'
import { ALIAS_PATHS, findAlias, resolvePath } from './aliases.ts'
import { SHORT_FLAGS, type ShortFlag } from './flags.ts'
import {
  describeExpected,
  findNearest,
  isSettingsGroup,
  listSettingPaths,
  parseSettingText,
  schemaAt,
  unwrapNullable,
} from './schema-introspection.ts'

export interface SettingEntry {
  readonly keys: readonly string[]
  readonly value: unknown
  readonly origin: string
}

export interface SettingsLayer {
  readonly entries: SettingEntry[]
  readonly problems: string[]
}

/** Variables with the prefix of settings that are none: our folders, keys, and messages to our own child processes. */
const NON_SETTING_VARIABLES =
  /^FIXWRIGHT_(HOME|CACHE|CALL|SESSION|MARKER_SECRET|GITHUB_WEBHOOK_SECRET|S3_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN)|(TEST|BENCH|REHEARSAL|DEMO)(_.*)?)$/
// A settings file is about a page long; one of megabytes is a mistake or an attack on the parser.
const MAX_YAML_BYTES = 256 * 1024

export function parseYamlLayer(text: string, where: string): SettingsLayer {
  const layer: SettingsLayer = { entries: [], problems: [] }
  if (text.length > MAX_YAML_BYTES) {
    layer.problems.push(`${where}: is longer than ${MAX_YAML_BYTES / 1024} KiB, that is no settings file`)
    return layer
  }
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  for (const { message, pos } of document.errors) {
    const { line, col } = lineCounter.linePos(pos[0])
    layer.problems.push(`${where}:${line}:${col}: can't be read as YAML: ${message}`)
  }
  if (layer.problems.length > 0 || document.contents === null) return layer
  if (!isMap(document.contents)) {
    layer.problems.push(`${where}: must be a map of settings`)
    return layer
  }
  const formatOrigin = (keys: readonly string[]) => {
    const node = document.getIn(keys, true) as { range?: [number, number, number] } | undefined
    return node?.range ? `${where}:${lineCounter.linePos(node.range[0]).line}` : where
  }
  try {
    readTree(layer, document.toJS({ maxAliasCount: 20 }), [], formatOrigin)
  } catch (error) {
    layer.problems.push(`${where}: can't be read as YAML: ${error instanceof Error ? error.message : error}`)
  }
  return layer
}

export function parseEnvironmentLayer(env: Environment, profiles: readonly string[]): SettingsLayer {
  const layer: SettingsLayer = { entries: [], problems: [] }
  const paths = new Map([...listSettingPaths(profiles), ...ALIAS_PATHS].map((path) => [toVariableName(path), path]))
  for (const [name, text] of Object.entries(env)) {
    if (text === undefined || !name.startsWith('FIXWRIGHT_') || NON_SETTING_VARIABLES.test(name)) continue
    const path = paths.get(name)
    if (path !== undefined) readText(layer, path.split('.'), text, name)
    else layer.problems.push(`${name}: there is no such setting${formatSuggestion(findNearest(name, paths.keys()))}`)
  }
  return layer
}

/** Keys are paths or short flags. Text is parsed like a variable's; any other value is taken as it is. */
export function parseFlagsLayer(flags: Readonly<Record<string, unknown>>, profiles: readonly string[]): SettingsLayer {
  const layer: SettingsLayer = { entries: [], problems: [] }
  const flagNames = new Map<string, string>()
  for (const [name, value] of Object.entries(flags)) {
    const short = Object.hasOwn(SHORT_FLAGS, name) ? SHORT_FLAGS[name] : undefined
    const path = short?.path ?? name
    const typed = short ? name : `--set ${path}`
    const other = flagNames.get(resolvePath(path))
    if (other !== undefined) layer.problems.push(`command line: ${other} and ${typed} are the same setting: give one`)
    flagNames.set(resolvePath(path), typed)
    if (short) readShortFlag(layer, name, short, value)
    else readByPath(layer, path, value, { profiles, origin: 'command line' })
  }
  return layer
}

/** By path; a text is read like one from the environment, anything else is taken as it is. */
export function parseOrderLayer(
  settings: Readonly<Record<string, unknown>>,
  profiles: readonly string[],
): SettingsLayer {
  const layer: SettingsLayer = { entries: [], problems: [] }
  for (const [path, value] of Object.entries(settings))
    readByPath(layer, path, value, { profiles, origin: 'the order' })
  return layer
}

function readByPath(
  layer: SettingsLayer,
  path: string,
  value: unknown,
  { profiles, origin }: { readonly profiles: readonly string[]; readonly origin: string },
): void {
  const keys = path.split('.')
  const schema = expectedAt(keys)
  if (schema === undefined) layer.problems.push(`${origin}: ${describeUnknownKey(keys, profiles)}`)
  else if (isSettingsGroup(schema)) {
    const inside = listSettingPaths(profiles).filter((each) => each.startsWith(`${path}.`))
    layer.problems.push(`${origin}: ${path} is a group of settings; set one of ${inside.join(', ')}`)
  } else if (typeof value === 'string') readText(layer, keys, value, origin)
  else readLeaf(layer, keys, value, origin)
}

/** A flag must have a value: leaving it out means no limit, and an empty text comes from a shell variable that was not set. */
function readShortFlag(
  layer: SettingsLayer,
  flag: string,
  { path, read: inUnits, expects }: ShortFlag,
  value: unknown,
): void {
  const keys = path.split('.')
  const found = schemaAt(keys)
  if (found === undefined) return
  const schema = unwrapNullable(found)
  const meant = typeof value === 'string' ? parseSettingText(schema, inUnits?.(value) ?? value) : value
  const parsed = meant === '' ? undefined : schema.safeParse(meant)
  if (parsed?.success) layer.entries.push({ keys, value: parsed.data, origin: 'command line' })
  else
    layer.problems.push(
      `command line: ${flag} is ${abbreviateValue(value)}, must be ${expects ?? describeExpected(schema)}`,
    )
}

/** `claude.timeout_seconds` is FIXWRIGHT_CLAUDE_TIMEOUT_SECONDS. */
export function toVariableName(path: string): string {
  return `FIXWRIGHT_${path.toUpperCase().replace(/[.-]/g, '_')}`
}

function readTree(
  layer: SettingsLayer,
  value: unknown,
  keys: readonly string[],
  formatOrigin: (keys: readonly string[]) => string,
): void {
  const schema = expectedAt(keys)
  if (schema === undefined) {
    layer.problems.push(`${formatOrigin(keys)}: ${describeUnknownKey(keys, [])}`)
  } else if (!isSettingsGroup(schema)) readLeaf(layer, keys, value, formatOrigin(keys))
  else if (typeof value !== 'object' || Array.isArray(value)) {
    layer.problems.push(`${formatOrigin(keys)}: ${keys.join('.')} must be ${describeExpected(schema)}`)
  } else {
    // A key with nothing below it sets nothing.
    for (const [key, child] of Object.entries(value ?? {})) readTree(layer, child, [...keys, key], formatOrigin)
  }
}

function readText(layer: SettingsLayer, keys: readonly string[], text: string, origin: string): void {
  const schema = expectedAt(keys)
  if (schema !== undefined) readLeaf(layer, keys, parseSettingText(schema, text), origin)
}

function readLeaf(layer: SettingsLayer, keys: readonly string[], value: unknown, origin: string): void {
  const schema = expectedAt(keys)
  if (schema === undefined) return
  const parsed = schema.safeParse(value)
  if (parsed.success) addEntry(layer, { keys, value: parsed.data, origin })
  else {
    const expected = describeExpected(schema)
    layer.problems.push(`${origin}: ${keys.join('.')} is ${abbreviateValue(value)}, must be ${expected}`)
  }
}

/** What a key takes: a setting's schema, or an alias's. */
function expectedAt(keys: readonly string[]): z.ZodType | undefined {
  const alias = findAlias(keys.join('.'))
  return alias ? (alias.form?.schema ?? schemaAt(alias.path.split('.'))) : schemaAt(keys)
}

/** Enters an alias as its setting. In one layer the two names must agree; between layers the stronger one holds. */
function addEntry({ entries, problems }: SettingsLayer, { keys, value, origin }: SettingEntry): void {
  const typed = keys.join('.')
  const alias = findAlias(typed)
  const entry: SettingEntry = alias
    ? { keys: alias.path.split('.'), value: alias.form?.toValue(value) ?? value, origin: `${origin} (${typed})` }
    : { keys, value, origin }
  const path = entry.keys.join('.')
  const other = entries.find((each) => each.keys.join('.') === path)
  if (other === undefined) entries.push(entry)
  else if (JSON.stringify(other.value) !== JSON.stringify(entry.value)) {
    const [one, two] = [other, entry].map((each) => `${each.origin} says ${abbreviateValue(each.value)}`)
    problems.push(`${path} is said twice, under two names: ${one}, ${two}: leave out one of them`)
  }
}

export function describeUnknownKey(keys: readonly string[], profiles: readonly string[]): string {
  const path = keys.join('.')
  const paths = [
    ...listSettingPaths(['batched', 'parallel', 'sequential', 'one-call', 'verify', ...profiles]),
    ...ALIAS_PATHS,
  ]
  const last = keys.at(-1) ?? ''
  const parent = keys.slice(0, -1).join('.')
  const branches = [...new Set(paths.map((each) => each.slice(0, each.lastIndexOf('.'))))]
  const siblings = [...paths, ...branches].filter(
    (each) => each.slice(0, Math.max(0, each.lastIndexOf('.'))) === parent,
  )
  const sibling = findNearest(
    last,
    siblings.map((each) => each.slice(each.lastIndexOf('.') + 1)),
  )
  const better =
    (sibling && [...keys.slice(0, -1), sibling].join('.')) ??
    paths.find((each) => each.endsWith(`.${last}`)) ??
    findNearest(path, paths)
  return `there is no setting ${path}${formatSuggestion(better)}`
}

function formatSuggestion(better: string | undefined): string {
  return better === undefined ? ': "fixwright config" lists them' : `; did you mean ${better}?`
}

function abbreviateValue(value: unknown): string {
  return truncateText(JSON.stringify(value) ?? String(value), 61)
}
