// Which files of a commit git would pass through a command on their way in and out (git-lfs, git-crypt and the like). Ours passes
// them as they are stored, so whoever works on such a file has a pointer or a cipher before them. No filter is run to find that out.
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromHome, readPlain, removeAll, sweepTemporary, temporaryName } from '../files.ts'
import { fields, git, gitText } from '../git.ts'
import { withoutHooks } from './disable-hooks.ts'
import { type Config, readSmallBlobs } from './inspect.ts'
import { isFile, type Listing } from './list-tree.ts'

export interface Filtered {
  /** By path, the filter's name. */
  readonly files: ReadonlyMap<string, string>
  /** Whether there are filters at all, also for files that are not there yet. */
  readonly isUsed: boolean
}

interface Place {
  readonly root: string
  readonly config: Config
  readonly commit: string
}

/** An attributes file of more is none that a person wrote. */
const MOST_BYTES = 1 << 20

export async function filteredFiles(place: Place, { special, all }: Listing): Promise<Filtered> {
  const attributes = special.filter((entry) => /(^|\/)\.gitattributes$/.test(entry.path) && isFile(entry))
  const shas = attributes.map(({ sha }) => sha)
  const texts = [...(await readSmallBlobs(place.root, shas, MOST_BYTES)).map(String), ...(await personalTexts(place))]
  if (!texts.some((text) => text.includes('filter='))) return { files: new Map(), isUsed: false }
  const paths = all().flatMap((entry) => (isFile(entry) ? entry.path : []))
  return { files: await filtersAmong(place, paths), isUsed: true }
}

/**
 * By the attributes of the commit, and those that the person has besides: what an agent makes of its tree changes nothing. `scratch`: a
 * folder that goes with the work; without one, what a killed process left is swept by the next that looks.
 */
export async function filtersAmong(
  { root, commit }: Pick<Place, 'root' | 'commit'>,
  paths: readonly string[],
  scratch = tmpdir(),
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map()
  // It need not be the commit that is checked out: an index of its own says what lies where.
  const own = join(scratch, 'fixwright-index')
  await sweepTemporary(own)
  const folder = temporaryName(own)
  mkdirSync(folder, { mode: 0o700 })
  try {
    const env = { GIT_INDEX_FILE: join(folder, 'index') }
    // Without what is the person's alone, and without the hooks of the repository, to which a written index is an event.
    await git(root, ['read-tree', commit], { env, config: await withoutHooks(root) })
    const asked = ['check-attr', '--cached', '-z', '--stdin', 'filter']
    const input = `${paths.join('\0')}\0`
    return filtersIn((await git(root, asked, { personal: true, env, input })).stdout)
  } finally {
    await removeAll(folder)
  }
}

function filtersIn(stdout: Buffer): Map<string, string> {
  const parts = fields(stdout)
  const found = new Map<string, string>()
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path = '', , value = ''] = parts.slice(at, at + 3)
    if (!['unspecified', 'unset', 'set'].includes(value)) found.set(path, value)
  }
  return found
}

/** Attributes that lie outside of the tree. */
async function personalTexts({ root, config }: Place): Promise<string[]> {
  const own =
    config.get('core.attributesfile')?.value ?? join(process.env.XDG_CONFIG_HOME || '~/.config', 'git/attributes')
  const info = readPlain(join(root, '.git/info/attributes')) ?? (await linkedInfo(root))
  return [info, readPlain(fromHome(own))].filter((text) => text !== undefined)
}

/** Of a linked worktree, whose `.git` is a file. */
async function linkedInfo(root: string): Promise<string | undefined> {
  if (readPlain(join(root, '.git')) === undefined) return undefined
  return readPlain(await gitText(root, ['rev-parse', '--path-format=absolute', '--git-path', 'info/attributes']))
}

/** What git-lfs keeps in the place of a file. */
export function isPointer(bytes: Buffer | undefined): boolean {
  return bytes?.toString('latin1').startsWith('version https://git-lfs.github.com/spec/') === true
}
