// Everything that a commit's tree holds, in one list. Of the many files of a large repository only those are looked at that mean
// something to git or to us by their name; all of them where somebody has to know.
import { git, rawFields, readable } from '../git.ts'

export interface TreeEntry {
  readonly mode: string
  readonly sha: string
  readonly path: string
}

export interface Listing {
  /** Submodules, attributes, and what lies below a name that begins with a dot. */
  readonly special: readonly TreeEntry[]
  all(): TreeEntry[]
}

export const SUBMODULE = '160000'
const SPECIAL = new RegExp(`^${SUBMODULE}|\\t(?:[^/]*/)*\\.|\\tlefthook\\.`)

export const NOTHING: Listing = { special: [], all: () => [] }

export async function listTree(root: string, commit: string): Promise<Listing> {
  const { stdout } = await git(root, ['ls-tree', '-r', '-z', '--full-tree', commit])
  const lines = rawFields(stdout)
  return { special: lines.filter((line) => SPECIAL.test(line)).map(entryOf), all: () => lines.map(entryOf) }
}

function entryOf(line: string): TreeEntry {
  const tab = line.indexOf('\t')
  const [mode = '', , sha = ''] = line.slice(0, tab).split(' ')
  return { mode, sha, path: readable(line.slice(tab + 1)) }
}

/** A regular file, executable or not. */
export function isFile({ mode }: TreeEntry): boolean {
  return mode.startsWith('100')
}
