// Finds the files that the person's git filters through a command (git-lfs, git-crypt). Our git runs no filter, so an agent sees
// a pointer or ciphertext in such a file.
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryPath } from '../../processes/write-file-atomically.ts'
import { runGit, runGitText, splitFields } from '../git.ts'
import { expandTilde, readRegularFile, removePath, removeStaleTemporaries } from '../unruly-files.ts'
import { buildNoHooksConfig } from './disable-hooks.ts'
import type { GitConfig } from './inspect.ts'
import { isRegularFile, type TreeListing } from './list-tree.ts'
import { readSmallBlobs } from './read-blobs.ts'

export interface FilteredFiles {
  /** Path → name of the filter. */
  readonly files: ReadonlyMap<string, string>
  /** Whether any filter is configured, even if no present file has one. */
  readonly isUsed: boolean
}

interface CommitLocation {
  readonly root: string
  readonly config: GitConfig
  readonly commit: string
}

/** No person writes a larger attributes file. */
const MAX_ATTRIBUTES_BYTES = 1 << 20

export async function findFilteredFiles(place: CommitLocation, { special, all }: TreeListing): Promise<FilteredFiles> {
  const attributes = special.filter((entry) => /(^|\/)\.gitattributes$/.test(entry.path) && isRegularFile(entry))
  const shas = attributes.map(({ sha }) => sha)
  const texts = [
    ...(await readSmallBlobs(place.root, shas, MAX_ATTRIBUTES_BYTES)).map(String),
    ...(await readPersonalAttributes(place)),
  ]
  if (!texts.some((text) => text.includes('filter='))) return { files: new Map(), isUsed: false }
  const paths = all().flatMap((entry) => (isRegularFile(entry) ? entry.path : []))
  return { files: await findFilters(place, paths), isUsed: true }
}

/**
 * Path → name of the filter, by the attributes of the commit and of the person. An agent's changes to its tree have no effect. `scratch`
 * is a folder that is removed with the work; in the default one, the next call sweeps what a killed process left.
 */
export async function findFilters(
  { root, commit }: Pick<CommitLocation, 'root' | 'commit'>,
  paths: readonly string[],
  scratch = tmpdir(),
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map()
  // The commit need not be checked out, so git reads its attributes from an index of their own.
  const own = join(scratch, 'fixwright-index')
  await removeStaleTemporaries(own)
  const folder = temporaryPath(own)
  mkdirSync(folder, { mode: 0o700 })
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') }
    // Writing an index would run the repository's `post-index-change` hooks.
    await runGit(root, ['read-tree', commit], { env, config: await buildNoHooksConfig(root) })
    const asked = ['check-attr', '--cached', '-z', '--stdin', 'filter']
    const input = `${paths.join('\0')}\0`
    return parseFilterAttributes((await runGit(root, asked, { personal: true, env, input })).stdout)
  } finally {
    await removePath(folder)
  }
}

function parseFilterAttributes(stdout: Buffer): Map<string, string> {
  const parts = splitFields(stdout)
  const found = new Map<string, string>()
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path = '', , value = ''] = parts.slice(at, at + 3)
    if (!['unspecified', 'unset', 'set'].includes(value)) found.set(path, value)
  }
  return found
}

async function readPersonalAttributes({ root, config }: CommitLocation): Promise<string[]> {
  const own =
    config.get('core.attributesfile')?.value ?? join(process.env.XDG_CONFIG_HOME || '~/.config', 'git/attributes')
  const info = readRegularFile(join(root, '.git/info/attributes')) ?? (await readWorktreeAttributes(root))
  return [info, readRegularFile(expandTilde(own))].filter((text) => text !== undefined)
}

/** The attributes of a linked worktree, whose `.git` is a file. */
async function readWorktreeAttributes(root: string): Promise<string | undefined> {
  if (readRegularFile(join(root, '.git')) === undefined) return undefined
  return readRegularFile(
    await runGitText(root, ['rev-parse', '--path-format=absolute', '--git-path', 'info/attributes']),
  )
}

export function isLfsPointer(bytes: Buffer | undefined): boolean {
  return bytes?.toString('latin1').startsWith('version https://git-lfs.github.com/spec/') === true
}
