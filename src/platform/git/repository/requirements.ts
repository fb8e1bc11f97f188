// What a repository wants of those who commit to it, read from one commit's tree and from the configuration that git has there.
// Nothing of it is run. A tree without attributes and settings costs one listing and one look at the latest commits.
// Gaps: checks that only a script of package.json installs, and a server's own rules, can't be seen from here.
import { accessSync, constants } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { fromHome, kindOf } from '../files.ts'
import { fields, git, gitText } from '../git.ts'
import { type Filtered, filteredFiles, isPointer } from './filtered-files.ts'
import { type Config, type Repository, readSmallBlobs } from './inspect.ts'
import { isFile, type Listing, listTree, NOTHING, SUBMODULE, type TreeEntry } from './list-tree.ts'

export const SETTINGS_FILE = '.fixwright.yaml'
/** A settings file is a page. */
export const MOST_SETTINGS_BYTES = 256 * 1024

export type SettingsFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly bytes: Buffer }
  /** It is there, and nothing that settings are read from. */
  | { readonly kind: 'odd'; readonly what: string }

export interface Facts {
  readonly settingsFile: SettingsFile
  readonly filtered: Filtered
  /** Of the files that were asked about: those whose content is that of a pointer to somewhere else. */
  readonly pointers: readonly string[]
  readonly submodules: readonly string[]
  /** Where checks before a commit are written down or installed. */
  readonly hooks: readonly string[]
  /** Where it is said that commits are signed: `local`, `global`, `system`. */
  readonly signing: string | undefined
  readonly signOff: readonly string[]
  /** Of the latest commits: so many have a sign-off, of so many. */
  readonly signedOff: readonly [number, number]
  readonly isSparse: boolean
  /** Objects of the tree that this partial clone has not fetched. */
  readonly missing: number
}

type Place = Pick<Repository, 'root' | 'config'> & { readonly commit: string }

/** `files`: those that are to be fixed. */
export async function readFacts(place: Place, files: readonly string[] = []): Promise<Facts> {
  const { root, config, commit } = place
  const missing = isPartial(config) ? await missingObjects(place) : 0
  const [listing, signedOff, hooks] = await Promise.all([
    missing > 0 ? NOTHING : listTree(root, commit),
    recentSignOffs(place),
    installedHooks(root, config),
  ])
  const entries = listing.special
  const own = entries.find(({ path }) => path === SETTINGS_FILE)
  const [settingsFile, filtered, pointers] = await Promise.all([
    missing > 0 ? UNKNOWN : readSettingsFile(root, entries, own),
    filteredFiles(place, listing),
    pointersAmong(root, listing, files),
  ])
  return {
    settingsFile,
    filtered,
    pointers,
    submodules: entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path),
    hooks: [...new Set([...entries.filter(isCheck).map(({ path }) => path), ...hooks])],
    signing: isOn(config, 'commit.gpgsign') ? config.get('commit.gpgsign')?.scope : undefined,
    signOff: [
      ...entries.filter(({ path }) => /^\.github\/dco\.ya?ml$/.test(path)).map(({ path }) => path),
      ...(isOn(config, 'format.signoff') ? ['format.signOff'] : []),
    ],
    signedOff,
    isSparse: isOn(config, 'core.sparsecheckout'),
    missing,
  }
}

const UNKNOWN = { kind: 'odd', what: 'not known: objects of the commit are missing here' } as const

async function readSettingsFile(
  root: string,
  entries: readonly TreeEntry[],
  own: TreeEntry | undefined,
): Promise<SettingsFile> {
  if (own === undefined) {
    const isFolder = entries.some(({ path }) => path.startsWith(`${SETTINGS_FILE}/`))
    return isFolder ? { kind: 'odd', what: 'a folder' } : { kind: 'none' }
  }
  if (!isFile(own)) {
    return { kind: 'odd', what: own.mode === SUBMODULE ? 'a submodule' : 'a symbolic link' }
  }
  const [bytes] = await readSmallBlobs(root, [own.sha], MOST_SETTINGS_BYTES)
  if (bytes === undefined) return { kind: 'odd', what: `longer than ${MOST_SETTINGS_BYTES / 1024} KiB` }
  return { kind: 'file', bytes }
}

/** Only where there are attributes at all: who keeps files elsewhere says so there. */
async function pointersAmong(
  root: string,
  { special, all }: Listing,
  files: readonly string[],
): Promise<readonly string[]> {
  if (!special.some(({ path }) => path.endsWith('.gitattributes'))) return []
  const asked = all().filter((entry) => isFile(entry) && files.includes(entry.path))
  const texts = await readSmallBlobs(
    root,
    asked.map(({ sha }) => sha),
    1024,
  )
  return asked.filter((_, index) => isPointer(texts[index])).map(({ path }) => path)
}

const CHECKS = ['pre-commit', 'commit-msg']
const CHECK_FILES =
  /^(\.pre-commit-config\.ya?ml|\.?lefthook\.(ya?ml|toml|json)|\.overcommit\.yml|(.*\/)?(\.husky|\.githooks)\/(pre-commit|commit-msg))$/

function isCheck({ path, mode }: TreeEntry): boolean {
  return mode !== SUBMODULE && CHECK_FILES.test(path)
}

/** As git would find them, from the root. */
async function installedHooks(root: string, config: Config): Promise<string[]> {
  const own = config.get('core.hookspath')?.value
  const folder = own === undefined ? await usualHooks(root) : resolve(root, fromHome(own))
  const files = CHECKS.filter((name) => isExecutable(join(folder, name))).map((name) =>
    posix.join(own ?? '.git/hooks', name),
  )
  // From git 2.54 on, a hook may also stand in the configuration.
  const configured = [...config].filter(([name, { value }]) => name.startsWith('hook.') && CHECKS.includes(value))
  return [...files, ...configured.map(([name, { value }]) => `${name}=${value}`)]
}

/** In a linked worktree they are elsewhere. */
async function usualHooks(root: string): Promise<string> {
  if (kindOf(join(root, '.git')) === 'directory') return join(root, '.git/hooks')
  return join(await gitText(root, ['rev-parse', '--path-format=absolute', '--git-common-dir']), 'hooks')
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const RECENT = 20

async function recentSignOffs({ root, commit }: Place): Promise<readonly [number, number]> {
  const format = '--format=%x00%(trailers:key=Signed-off-by,valueonly)'
  const { stdout } = await git(root, ['log', `-${RECENT}`, '--no-merges', format, commit, '--'])
  const commits = fields(stdout).slice(1)
  return [commits.filter((trailers) => trailers.trim() !== '').length, commits.length]
}

function isPartial(config: Config): boolean {
  if (config.has('extensions.partialclone')) return true
  return [...config.keys()].some((name) => /^remote\..*\.promisor$/.test(name) && isOn(config, name))
}

async function missingObjects({ root, commit }: Place): Promise<number> {
  const { stdout } = await git(root, ['rev-list', '--objects', '--missing=print', `${commit}^{tree}`])
  return stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('?')).length
}

/** As git reads what is true or false. */
function isOn(config: Config, name: string): boolean {
  const { value } = config.get(name) ?? { value: 'false' }
  return /^(true|yes|on|[1-9]\d*)$/i.test(value)
}
