// Which files of a commit git would pass through a command on their way in and out (git-lfs, git-crypt and the like). Ours passes
// them as they are stored, so whoever works on such a file has a pointer or a cipher before them. No filter is run to find that out.
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryPath } from '../../processes/write-file-atomically.ts'
import { expandTilde, readRegularFile, removePath, removeStaleTemporaries } from '../files.ts'
import { runGit, runGitText, splitFields } from '../git.ts'
import { buildNoHooksConfig } from './disable-hooks.ts'
import { type GitConfig, readSmallBlobs } from './inspect.ts'
import { isRegularFile, type TreeListing } from './list-tree.ts'

export interface FilteredFiles {
  /** By path, the filter's name. */
  readonly files: ReadonlyMap<string, string>
  /** Whether there are filters at all, also for files that are not there yet. */
  readonly isUsed: boolean
}

interface CommitLocation {
  readonly root: string
  readonly config: GitConfig
  readonly commit: string
}

/** An attributes file of more is none that a person wrote. */
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
 * By the attributes of the commit, and those that the person has besides: what an agent makes of its tree changes nothing. `scratch`: a
 * folder that goes with the work; without one, what a killed process left is swept by the next that looks.
 */
export async function findFilters(
  { root, commit }: Pick<CommitLocation, 'root' | 'commit'>,
  paths: readonly string[],
  scratch = tmpdir(),
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map()
  // It need not be the commit that is checked out: an index of its own says what lies where.
  const own = join(scratch, 'fixwright-index')
  await removeStaleTemporaries(own)
  const folder = temporaryPath(own)
  mkdirSync(folder, { mode: 0o700 })
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') }
    // Without what is the person's alone, and without the hooks of the repository, to which a written index is an event.
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

/** Attributes that lie outside of the tree. */
async function readPersonalAttributes({ root, config }: CommitLocation): Promise<string[]> {
  const own =
    config.get('core.attributesfile')?.value ?? join(process.env.XDG_CONFIG_HOME || '~/.config', 'git/attributes')
  const info = readRegularFile(join(root, '.git/info/attributes')) ?? (await readWorktreeAttributes(root))
  return [info, readRegularFile(expandTilde(own))].filter((text) => text !== undefined)
}

/** Of a linked worktree, whose `.git` is a file. */
async function readWorktreeAttributes(root: string): Promise<string | undefined> {
  if (readRegularFile(join(root, '.git')) === undefined) return undefined
  return readRegularFile(
    await runGitText(root, ['rev-parse', '--path-format=absolute', '--git-path', 'info/attributes']),
  )
}

/** What git-lfs keeps in the place of a file. */
export function isLfsPointer(bytes: Buffer | undefined): boolean {
  return bytes?.toString('latin1').startsWith('version https://git-lfs.github.com/spec/') === true
}
