// Lists a commit's tree. Entries whose name means something to git or to us are parsed at once, all others on request.
import { decodeRawPath, runGit, splitRawFields } from '../git.ts'

export interface TreeEntry {
  readonly mode: string
  readonly sha: string
  readonly path: string
}

export interface TreeListing {
  /** Submodules, attributes, and what lies below a name that begins with a dot. */
  readonly special: readonly TreeEntry[]
  all(): TreeEntry[]
}

export const SUBMODULE_MODE = '160000'
export const SYMLINK_MODE = '120000'
const SPECIAL_ENTRY = new RegExp(`^${SUBMODULE_MODE}|\\t(?:[^/]*/)*\\.|\\tlefthook\\.`)

export const EMPTY_LISTING: TreeListing = { special: [], all: () => [] }

export async function listTree(root: string, commit: string): Promise<TreeListing> {
  const { stdout } = await runGit(root, ['ls-tree', '-r', '-z', '--full-tree', commit])
  const lines = splitRawFields(stdout)
  return {
    special: lines.filter((line) => SPECIAL_ENTRY.test(line)).map(parseTreeEntry),
    all: () => lines.map(parseTreeEntry),
  }
}

export function parseTreeEntry(line: string): TreeEntry {
  const tab = line.indexOf('\t')
  const [mode = '', , sha = ''] = line.slice(0, tab).split(' ')
  return { mode, sha, path: decodeRawPath(line.slice(tab + 1)) }
}

/** Executable or not. */
export function isRegularFile({ mode }: TreeEntry): boolean {
  return mode.startsWith('100')
}
