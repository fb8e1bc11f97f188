// Sign-ins that lie in the middle of what is seen: they are left out, and all around them stays. A settings file, which also says
// where packages come from, is left out only where something in it looks like a sign-in.
// Gap: what has another name, or lies deeper, is not found.
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, join, sep } from 'node:path'

/** As they lie in an installation; the last is what services that run from it keep. */
const SIGN_INS = [
  ...['credentials', 'upload_config.lua', 'conda-meta/state', 'etc/conda/activate.d/env_vars.sh', 'var'],
]
const SETTINGS = [
  ...['etc/npmrc', 'pip.conf', '.condarc', 'config', 'config.toml', 'wasmer.toml', 'gradle.properties'],
  ...['conf/settings.xml', 'pipx_metadata.json', 'uv-receipt.toml'],
]
const NAMED = /(token|passw(or)?d|passphrase|secret|_auth|api[-_]?key|private[-_]?key)[\w.-]*["']?\s*[=:>]/i
const IN_AN_ADDRESS = /https?:\/\/[^\s/"'<>]+@|\/t\/[\w-]{8}/i
const MOST_BYTES = 1 << 20
/** Further installations lie in these, by name and version. */
const HOLDERS = ['versions', 'installs', 'envs', 'venvs', 'virtualenvs', '.virtualenvs', 'tools', 'python', 'image']

/** The same without them, where they lie in one of these folders or in an installation that one of them holds. */
export function withoutSignIns(seen: readonly string[], folders: readonly string[]): string[] {
  // Packages lie there, by any name.
  const places = [...new Set(folders)].filter((folder) => basename(folder) !== 'node_modules')
  const found = places.flatMap(installationsIn).flatMap(signInsIn).map(realOr)
  return seen.flatMap((path) => without(path, found))
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Not there, or nothing that whoever runs in the sandbox could read.
    return []
  }
}

export function realOr(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

function installationsIn(folder: string): string[] {
  const holders = HOLDERS.includes(basename(folder)) ? [folder] : HOLDERS.map((name) => join(folder, name))
  const first = holders.flatMap(inside)
  return [folder, ...first, ...first.flatMap(inside)]
}

function signInsIn(folder: string): string[] {
  const settings = SETTINGS.map((name) => join(folder, name))
  return [...SIGN_INS.map((name) => join(folder, name)), ...settings.filter(holdsOne)].filter((path) =>
    existsSync(path),
  )
}

function holdsOne(file: string): boolean {
  try {
    const { size } = statSync(file)
    // A folder of that name is none, and one that we can't read nobody in there can.
    const text = size > MOST_BYTES ? undefined : readFileSync(file, 'utf8')
    return text === undefined || NAMED.test(text) || IN_AN_ADDRESS.test(text)
  } catch {
    return false
  }
}

function without(path: string, found: readonly string[]): string[] {
  const real = realOr(path)
  if (found.includes(real)) return []
  if (!found.some((each) => each.startsWith(`${real}${sep}`))) return [path]
  // A link out of it is not followed in there, and must not be where it is seen by itself.
  return inside(path).flatMap((each) => (realOr(each).startsWith(`${real}${sep}`) ? without(each, found) : []))
}

function inside(folder: string): string[] {
  return namesIn(folder).map((name) => join(folder, name))
}
