// Reads files of a tree without a work tree.
import { listFilesAtCommit, listTreeEntries, SYMLINK_MODE } from '../repository/list-tree.ts'
import { readBlobBytes, readBlobTexts } from '../repository/read-blobs.ts'
import type { Workspace } from './object-store.ts'

export interface TreeFile {
  readonly mode: string
  readonly content: Buffer
}

/** Larger files are not read. */
const MAX_BYTES = 1_000_000

/** The regular files among these paths that are there and not too large. */
export async function readTreeFiles(
  { gitDir }: Workspace,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeFile>> {
  const files = (await listFilesAtCommit(gitDir, tree, paths)).filter(({ bytes }) => bytes <= MAX_BYTES)
  const contents = await readBlobBytes(
    gitDir,
    files.map(({ sha }) => sha),
  )
  return new Map(files.map(({ path, mode }, index) => [path, { mode, content: contents[index]! }]))
}

/** Path → the link's target. Resolving a path takes all links of the tree. */
export async function readSymlinkTargets({ gitDir }: Workspace, tree: string): Promise<ReadonlyMap<string, string>> {
  const links = (await listTreeEntries(gitDir, tree)).filter(({ mode }) => mode === SYMLINK_MODE)
  const targets = await readBlobTexts(
    gitDir,
    links.map(({ sha }) => sha),
  )
  return new Map(links.map(({ path }, index) => [path, targets[index]!]))
}
