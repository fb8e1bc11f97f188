// Excludes sign-ins from visible folders. A settings file is excluded only if something in it looks like a sign-in: it also says
// where packages come from. Gap: credentials under another name, or deeper down, are not found.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, join, sep } from 'node:path'

/** Paths within an installation. Services that run from it keep their data in `var`. */
const CREDENTIAL_FILES = [
  ...['credentials', 'upload_config.lua', 'conda-meta/state', 'etc/conda/activate.d/env_vars.sh', 'var'],
]
const SETTINGS_FILES = [
  ...['etc/npmrc', 'pip.conf', '.condarc', 'config', 'config.toml', 'wasmer.toml', 'gradle.properties'],
  ...['conf/settings.xml', 'pipx_metadata.json', 'uv-receipt.toml'],
]
const CREDENTIAL_SETTING =
  /(token|passw(or)?d|passphrase|secret|_auth|api[-_]?key|private[-_]?key)[\w.-]*["']?\s*[=:>]/i
const CREDENTIAL_IN_URL = /https?:\/\/[^\s/"'<>]+@|\/t\/[\w-]{8}/i
const MAX_BYTES = 1 << 20
/** These folders hold further installations, by name and version. */
const INSTALLATION_ROOTS = [
  'versions',
  'installs',
  'envs',
  'venvs',
  'virtualenvs',
  '.virtualenvs',
  'tools',
  'python',
  'image',
]

/** The same paths without the credentials in these folders or in installations that they hold. */
export function excludeCredentials(seen: readonly string[], folders: readonly string[]): string[] {
  // Packages in node_modules may have any name, as `config`.
  const places = [...new Set(folders)].filter((folder) => basename(folder) !== 'node_modules')
  const found = places.flatMap(listInstallations).flatMap(listCredentialFiles).map(resolveIfExists)
  return found.length === 0 ? [...seen] : seen.flatMap((path) => excludePaths(path, found))
}

export function listEntryNames(folder: string): string[] {
  try {
    // An error takes longer to make than all else here, and most of the folders that are looked for are not there.
    return existsSync(folder) ? readdirSync(folder) : []
  } catch {
    // Missing or unreadable: a process in the sandbox could not read it either.
    return []
  }
}

export function resolveIfExists(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

function listInstallations(folder: string): string[] {
  const holders = INSTALLATION_ROOTS.includes(basename(folder))
    ? [folder]
    : INSTALLATION_ROOTS.map((name) => join(folder, name))
  const first = holders.flatMap(listEntries)
  return [folder, ...first, ...first.flatMap(listEntries)]
}

function listCredentialFiles(folder: string): string[] {
  const settings = SETTINGS_FILES.map((name) => join(folder, name))
  return [...CREDENTIAL_FILES.map((name) => join(folder, name)), ...settings.filter(holdsCredential)].filter((path) =>
    existsSync(path),
  )
}

function holdsCredential(file: string): boolean {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return false
    // A folder of that name holds no settings, and nobody inside can read a file that we can't.
    const text = stats.size > MAX_BYTES ? undefined : readFileSync(file, 'utf8')
    return text === undefined || CREDENTIAL_SETTING.test(text) || CREDENTIAL_IN_URL.test(text)
  } catch {
    return false
  }
}

function excludePaths(path: string, found: readonly string[]): string[] {
  const real = resolveIfExists(path)
  if (found.includes(real)) return []
  if (!found.some((each) => each.startsWith(`${real}${sep}`))) return [path]
  // A link out of the folder can't be followed inside, so its target must not become visible by itself.
  return listEntries(path).flatMap((each) =>
    resolveIfExists(each).startsWith(`${real}${sep}`) ? excludePaths(each, found) : [],
  )
}

function listEntries(folder: string): string[] {
  return listEntryNames(folder).map((name) => join(folder, name))
}
