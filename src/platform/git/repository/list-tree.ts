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
  const lines = await listTreeLines(root, commit)
  return {
    special: lines.filter((line) => SPECIAL_ENTRY.test(line)).map(parseTreeEntry),
    all: () => lines.map(parseTreeEntry),
  }
}

/** All files of a commit or tree with their hashes: files with the same hash need not be read. */
export async function listTreeEntries(root: string, tree: string): Promise<TreeEntry[]> {
  return (await listTreeLines(root, tree)).map(parseTreeEntry)
}

async function listTreeLines(root: string, tree: string): Promise<string[]> {
  const { stdout } = await runGit(root, ['ls-tree', '-r', '-z', '--full-tree', tree], { objects: [tree] })
  return splitRawFields(stdout)
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

export interface CommittedFile {
  readonly path: string
  readonly mode: string
  readonly sha: string
  readonly bytes: number
}

/** The paths among `paths` that are regular files of a commit or tree. Models name any path: git fails for those that lead out of the repository. */
export async function listFilesAtCommit(
  root: string,
  commit: string,
  paths: readonly string[],
): Promise<CommittedFile[]> {
  const possible = paths.filter((path) => !path.split('/').some((name) => ['', '.', '..'].includes(name)))
  if (possible.length === 0) return []
  // Paths count from the top level, whatever directory of the repository `root` is.
  const objects = [commit]
  const listed = await runGit(root, ['ls-tree', '-z', '-l', '--full-tree', commit, '--', ...possible], { objects })
  return splitRawFields(listed.stdout).flatMap((line) => {
    const [, mode, sha, bytes, path] = /^(100\d{3}) blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? []
    return path === undefined ? [] : [{ mode: mode!, sha: sha!, bytes: Number(bytes), path: decodeRawPath(path) }]
  })
}
