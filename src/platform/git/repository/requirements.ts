// Reads what a repository requires of its committers, from one commit's tree and git's configuration. Runs nothing of it.
// Gaps: checks that only a script of package.json installs, and a server's own rules, are not seen.

import { join, posix, resolve } from 'node:path'
import { isExecutable } from '../../processes/find-command.ts'
import { runGit, runGitText, splitFields } from '../git.ts'
import { expandTilde, getPathKind } from '../unruly-files.ts'
import { type FilteredFiles, findFilteredFiles, isLfsPointer } from './filtered-files.ts'
import type { GitConfig, Repository } from './inspect.ts'
import {
  EMPTY_LISTING,
  isRegularFile,
  listTree,
  SUBMODULE_MODE,
  type TreeEntry,
  type TreeListing,
} from './list-tree.ts'
import { readSmallBlobs } from './read-blobs.ts'

export const SETTINGS_FILE = '.fixwright.yaml'
/** A real settings file is about a page long. */
export const MAX_SETTINGS_BYTES = 256 * 1024

export type SettingsFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly bytes: Buffer }
  /** Something is there that settings can't be read from. */
  | { readonly kind: 'odd'; readonly what: string }

export interface RepositoryFacts {
  readonly settingsFile: SettingsFile
  readonly filtered: FilteredFiles
  /** The files among those asked about whose content is a git-lfs pointer. */
  readonly lfsPointers: readonly string[]
  readonly submodules: readonly string[]
  /** The places where checks before a commit are configured or installed. */
  readonly hooks: readonly string[]
  /** The scope that demands signed commits: `local`, `global`, `system`. */
  readonly signingScope: string | undefined
  readonly signOffSources: readonly string[]
  /** How many of the latest commits have a sign-off, and how many were counted. */
  readonly signOffCounts: readonly [number, number]
  readonly isSparse: boolean
  /** Objects of the tree that this partial clone has not fetched. */
  readonly missingObjects: number
}

type CommitLocation = Pick<Repository, 'root' | 'config'> & { readonly commit: string }

/** `files`: the files to be fixed. */
export async function readRepositoryFacts(
  place: CommitLocation,
  files: readonly string[] = [],
): Promise<RepositoryFacts> {
  const { root, config, commit } = place
  const missing = isPartialClone(config) ? await countMissingObjects(place) : 0
  const [listing, signedOff, hooks] = await Promise.all([
    missing > 0 ? EMPTY_LISTING : listTree(root, commit),
    countRecentSignOffs(place),
    findInstalledHooks(root, config),
  ])
  const entries = listing.special
  const own = entries.find(({ path }) => path === SETTINGS_FILE)
  const [settingsFile, filtered, pointers] = await Promise.all([
    missing > 0 ? UNKNOWN_SETTINGS_FILE : readSettingsFile(root, entries, own),
    findFilteredFiles(place, listing),
    findLfsPointers(root, listing, files),
  ])
  return {
    settingsFile,
    filtered,
    lfsPointers: pointers,
    submodules: entries.filter(({ mode }) => mode === SUBMODULE_MODE).map(({ path }) => path),
    hooks: [...new Set([...entries.filter(isHookFile).map(({ path }) => path), ...hooks])],
    signingScope: isConfigEnabled(config, 'commit.gpgsign') ? config.get('commit.gpgsign')?.scope : undefined,
    signOffSources: [
      ...entries.filter(({ path }) => /^\.github\/dco\.ya?ml$/.test(path)).map(({ path }) => path),
      ...(isConfigEnabled(config, 'format.signoff') ? ['format.signOff'] : []),
    ],
    signOffCounts: signedOff,
    isSparse: isConfigEnabled(config, 'core.sparsecheckout'),
    missingObjects: missing,
  }
}

const UNKNOWN_SETTINGS_FILE = { kind: 'odd', what: 'not known: objects of the commit are missing here' } as const

async function readSettingsFile(
  root: string,
  entries: readonly TreeEntry[],
  own: TreeEntry | undefined,
): Promise<SettingsFile> {
  if (own === undefined) {
    const isFolder = entries.some(({ path }) => path.startsWith(`${SETTINGS_FILE}/`))
    return isFolder ? { kind: 'odd', what: 'a folder' } : { kind: 'none' }
  }
  if (!isRegularFile(own)) {
    return { kind: 'odd', what: own.mode === SUBMODULE_MODE ? 'a submodule' : 'a symbolic link' }
  }
  const [bytes] = await readSmallBlobs(root, [own.sha], MAX_SETTINGS_BYTES)
  if (bytes === undefined) return { kind: 'odd', what: `longer than ${MAX_SETTINGS_BYTES / 1024} KiB` }
  return { kind: 'file', bytes }
}

/** Without an attributes file there are no pointers: git-lfs needs an entry there. */
async function findLfsPointers(
  root: string,
  { special, all }: TreeListing,
  files: readonly string[],
): Promise<readonly string[]> {
  if (!special.some(({ path }) => path.endsWith('.gitattributes'))) return []
  const asked = all().filter((entry) => isRegularFile(entry) && files.includes(entry.path))
  const texts = await readSmallBlobs(
    root,
    asked.map(({ sha }) => sha),
    1024,
  )
  return asked.filter((_, index) => isLfsPointer(texts[index])).map(({ path }) => path)
}

const CHECK_HOOKS = ['pre-commit', 'commit-msg']
const HOOK_FILES =
  /^(\.pre-commit-config\.ya?ml|\.?lefthook\.(ya?ml|toml|json)|\.overcommit\.yml|(.*\/)?(\.husky|\.githooks)\/(pre-commit|commit-msg))$/

function isHookFile({ path, mode }: TreeEntry): boolean {
  return mode !== SUBMODULE_MODE && HOOK_FILES.test(path)
}

async function findInstalledHooks(root: string, config: GitConfig): Promise<string[]> {
  const own = config.get('core.hookspath')?.value
  const folder = own === undefined ? await resolveHooksFolder(root) : resolve(root, expandTilde(own))
  const files = await Promise.all(
    CHECK_HOOKS.map(async (name) =>
      (await isExecutable(join(folder, name))) ? [posix.join(own ?? '.git/hooks', name)] : [],
    ),
  )
  // Since git 2.54, a hook may also be in the configuration.
  const configured = [...config].filter(([name, { value }]) => name.startsWith('hook.') && CHECK_HOOKS.includes(value))
  return [...files.flat(), ...configured.map(([name, { value }]) => `${name}=${value}`)]
}

/** In a linked worktree, the hooks are in the shared git directory. */
async function resolveHooksFolder(root: string): Promise<string> {
  if (getPathKind(join(root, '.git')) === 'directory') return join(root, '.git/hooks')
  return join(await runGitText(root, ['rev-parse', '--path-format=absolute', '--git-common-dir']), 'hooks')
}

const RECENT_COMMITS = 20

async function countRecentSignOffs({ root, commit }: CommitLocation): Promise<readonly [number, number]> {
  const format = '--format=%x00%(trailers:key=Signed-off-by,valueonly)'
  const { stdout } = await runGit(root, ['log', `-${RECENT_COMMITS}`, '--no-merges', format, commit, '--'])
  const commits = splitFields(stdout).slice(1)
  return [commits.filter((trailers) => trailers.trim() !== '').length, commits.length]
}

function isPartialClone(config: GitConfig): boolean {
  if (config.has('extensions.partialclone')) return true
  return [...config.keys()].some((name) => /^remote\..*\.promisor$/.test(name) && isConfigEnabled(config, name))
}

async function countMissingObjects({ root, commit }: CommitLocation): Promise<number> {
  const { stdout } = await runGit(root, ['rev-list', '--objects', '--missing=print', `${commit}^{tree}`])
  return stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line.startsWith('?')).length
}

/** Reads a boolean as git does. */
function isConfigEnabled(config: GitConfig, name: string): boolean {
  const { value } = config.get(name) ?? { value: 'false' }
  return /^(true|yes|on|[1-9]\d*)$/i.test(value)
}
