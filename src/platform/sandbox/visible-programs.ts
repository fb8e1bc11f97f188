// Lists where the operator's programs lie outside the system's folders: on the PATH, and in the stores of package managers. Gap:
// programs reached by a wrapper, or kept in a repository with what they need beside them, need `sandbox.readable`.
import { existsSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { excludeCredentials, listEntryNames, resolveIfExists } from './hidden-credentials.ts'

/** Paths in the home: packages that a package manager fetched, and programs of one user. */
const STORES = [
  ...['.cargo/bin', '.cargo/registry', '.cargo/git', '.cargo/env', '.cargo/config', '.cargo/config.toml', '.rustup'],
  ...['go/bin', 'go/pkg/mod', '.m2/repository', '.m2/wrapper', '.gradle/wrapper', '.ivy2/cache', '.nuget/packages'],
  ...['.local/bin', '.local/lib', '.local/pipx/shared', '.local/share/pipx/shared', '.local/share/pnpm'],
  ...['.gem/ruby', '.gem/jruby', '.gem/truffleruby', '.bundle/cache', '.cache/node/corepack', '.cache/puppeteer'],
  ...['.local/share/gem/ruby', '.volta/bin', '.volta/tools/user', '.bun/bin', '.bun/install/global/node_modules'],
  ...['.dotnet/dotnet', '.dotnet/host', '.dotnet/sdk', '.dotnet/sdk-manifests', '.dotnet/shared', '.dotnet/packs'],
  ...['.dotnet/library-packs', '.dotnet/templates', '.dotnet/metadata', '.dotnet/tools'],
]
/** Folders in the home that hold installations, by name and version. */
const INSTALLATION_ROOTS = [
  ...['.nvm/versions', '.local/share/mise/installs', '.local/share/uv/python', '.local/share/uv/tools'],
  '.volta/tools/image',
  ...['.local/pipx/venvs', '.local/pipx/py', '.local/share/pipx/venvs', '.local/share/pipx/py'],
  ...['.local/share/virtualenvs', '.virtualenvs'],
]
/** Folders that keep more than programs, sign-ins among them: only the parts named above are visible. */
const SHARED_FOLDERS = [
  ...['.', '.local', '.local/share', '.config', '.cache', '.cargo', 'go', '.m2', '.gradle', '.bundle', '.dotnet'],
]
/** Playwright keeps profiles of signed-in browsers beside the browsers. */
const BROWSERS_FOLDER = '.cache/ms-playwright'
const BROWSER_NAME = /^(chromium|firefox|webkit|ffmpeg)/
/** A `bin` folder is part of an installation if its parent has one of these entries, … */
const INSTALLATION_SIGNS = ['conda-meta', 'versions', 'installs', 'shims']
/** … or one of these and is not in a repository. */
const POSSIBLE_SIGNS = ['lib', 'lib64', 'libexec']
/** A version manager is a clone of its own repository, but these folders in it are not part of that repository. */
const VERSION_FOLDERS = ['versions', 'installs']
/** The entries of a virtual environment, which may be made right in a repository. */
const VIRTUAL_ENV_ENTRIES = ['pyvenv.cfg', 'bin', 'include', 'lib', 'lib64', 'share', 'etc']
const STORE_VARIABLES = ['CARGO_HOME', 'GOPATH'] as const
const PROGRAM_VARIABLES = ['RUSTUP_HOME', 'GOROOT', 'GOMODCACHE', 'JAVA_HOME']

/** Visible read-only; some paths may not exist. Folders are compared by their real paths, since a home may be reached through a link. */
export function listProgramPaths(env: NodeJS.ProcessEnv, home: string, commands: readonly string[]): string[] {
  const path = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  const realHome = resolveIfExists(home)
  const shared = [
    ...SHARED_FOLDERS.map((name) => join(home, name)),
    ...STORE_VARIABLES.flatMap((name) => env[name] ?? []),
  ].map(resolveIfExists)
  const holders = INSTALLATION_ROOTS.map((name) => join(home, name))
  const installations = path.flatMap((folder) => findInstallation(folder, realHome))
  const places = PROGRAM_VARIABLES.flatMap((name) => env[name] ?? [])
  const seen = [
    ...STORES.map((name) => join(home, name)),
    ...listBrowsers(join(home, BROWSERS_FOLDER)),
    ...listStoresFromVariables(env),
    ...[...holders, ...path, ...installations, ...places],
    ...commands.flatMap((command) => findCommandInstallation(command)),
  ].filter((each) => {
    if (!isAbsolute(each)) return false
    const real = resolveIfExists(each)
    return !isAbove(real, realHome) && !shared.includes(real)
  })
  const cargo = [join(home, '.cargo'), ...(env.CARGO_HOME ? [env.CARGO_HOME] : [])]
  return excludeCredentials(seen, [...cargo, ...holders, ...installations, ...places])
}

export function expandHome(paths: readonly string[], home: string): string[] {
  return paths.map((path) => (path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(path)))
}

function listStoresFromVariables(env: NodeJS.ProcessEnv): string[] {
  const [cargo, go] = STORE_VARIABLES.map((name) => env[name])
  const below = (root: string | undefined, names: readonly string[]) =>
    root ? names.map((name) => join(root, name)) : []
  return [
    ...below(cargo, ['bin', 'registry', 'git', 'config.toml']),
    ...below(go, ['bin', 'pkg/mod']),
    ...below(env.VIRTUAL_ENV, VIRTUAL_ENV_ENTRIES),
  ]
}

function listBrowsers(folder: string): string[] {
  return listEntryNames(folder)
    .filter((name) => BROWSER_NAME.test(name))
    .map((name) => join(folder, name))
}

/** The installation that a folder of the PATH belongs to: its programs need what lies beside it. */
function findInstallation(folder: string, home: string): string[] {
  const real = resolveIfExists(folder)
  const parent = dirname(real)
  // The unresolved path counts as well: links, and programs that ask where they are, lead to what lies beside it there.
  const parents = [...new Set([parent, dirname(folder)])].filter((each) => resolveIfExists(each) === parent)
  const modules = [...findNodeModules(folder), ...findNodeModules(real)]
  if (!['bin', 'sbin', 'shims', 'condabin'].includes(basename(real))) return modules
  const has = (name: string) => existsSync(join(parent, name))
  if (has('pyvenv.cfg')) return parents.flatMap((each) => VIRTUAL_ENV_ENTRIES.map((name) => join(each, name)))
  const isOne = INSTALLATION_SIGNS.some(has) || (POSSIBLE_SIGNS.some(has) && !isInRepository(parent, home))
  return isOne ? parents : modules
}

function findCommandInstallation(command: string): string[] {
  const real = resolveIfExists(command)
  return [command, real, ...findNodeModules(command), ...findNodeModules(real)]
}

/** The whole `node_modules` that something lies in: a package needs its neighbours. */
function findNodeModules(path: string): string[] {
  const parts = path.split(sep)
  const at = parts.indexOf('node_modules')
  return at < 0 ? [] : [parts.slice(0, at + 1).join(sep)]
}

/** Stops at the home: a home that is kept in git does not make everything in it a repository. */
function isInRepository(folder: string, home: string): boolean {
  if (isAbove(folder, home) || VERSION_FOLDERS.includes(basename(folder))) return false
  return existsSync(join(folder, '.git')) || isInRepository(dirname(folder), home)
}

function isAbove(path: string, home: string): boolean {
  return path === sep || home === path || home.startsWith(`${path}${sep}`)
}
