// Lists a commit's tree. Entries whose name means something to git or to us are parsed at once, all others on request.
import { dirname, join } from 'node:path'
import { askObjects, canAskFor, parseRawTree } from '../ask-objects.ts'
import { decodeRawPath, runGit, splitRawFields } from '../git.ts'
import { isObjectId } from '../object-memory.ts'

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
  const found = possible.every(canAskFor) ? await findEntries(root, commit, possible) : undefined
  if (found) return found
  // Paths count from the top level, whatever directory of the repository `root` is.
  const objects = [commit]
  const listed = await runGit(root, ['ls-tree', '-z', '-l', '--full-tree', commit, '--', ...possible], { objects })
  return splitRawFields(listed.stdout).flatMap((line) => {
    const [, mode, sha, bytes, path] = /^(100\d{3}) blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? []
    return path === undefined ? [] : [{ mode: mode!, sha: sha!, bytes: Number(bytes), path: decodeRawPath(path) }]
  })
}

/** The folders of the paths have the modes, and the blobs the sizes. Undefined if the tree itself is not found. */
async function findEntries(root: string, tree: string, paths: readonly string[]): Promise<CommittedFile[] | undefined> {
  if (!isObjectId(tree)) return undefined
  const names = [...new Set(paths)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const folders = [...new Set(names.map(dirname))]
  const [whole, ...found] = await askObjects(root, [
    ['info', `${tree}^{tree}`],
    ...folders.map((folder) => ['contents', folder === '.' ? `${tree}^{tree}` : `${tree}:${folder}`] as const),
    ...names.map((path) => ['info', `${tree}:${path}`] as const),
  ])
  if (whole === undefined) return undefined
  const modes = new Map(
    folders.flatMap((folder, index) => {
      const listing = found[index]
      if (listing?.type !== 'tree' || listing.content === undefined) return []
      const entries = parseRawTree(listing.content, tree)
      return entries.map(({ mode, name }) => [join(folder, decodeRawPath(name)), mode] as const)
    }),
  )
  return names.flatMap((path, index) => {
    const [mode, blob] = [modes.get(path), found[folders.length + index]]
    return mode?.startsWith('100') && blob?.type === 'blob' ? [{ path, mode, sha: blob.sha, bytes: blob.bytes }] : []
  })
}
