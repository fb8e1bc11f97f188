// The files of a tree, by their hashes: what is the same needs not be read to be known.
import { splitRawFields } from '../git.ts'
import { readBlobTexts } from '../repository/inspect.ts'
import { parseTreeEntry, SYMLINK_MODE, type TreeEntry } from '../repository/list-tree.ts'
import type { Workspace } from './object-store.ts'
import { runWorkspaceGit } from './workspace.ts'

export async function listTreeEntries(workspace: Workspace, tree: string): Promise<TreeEntry[]> {
  const { stdout } = await runWorkspaceGit(workspace, ['ls-tree', '-r', '-z', '--full-tree', tree])
  return splitRawFields(stdout).map(parseTreeEntry)
}

/** Path → what the link points to. Where a path really leads is known only with all links of the tree. */
export async function readSymlinkTargets(workspace: Workspace, tree: string): Promise<ReadonlyMap<string, string>> {
  const links = (await listTreeEntries(workspace, tree)).filter(({ mode }) => mode === SYMLINK_MODE)
  const targets = await readBlobTexts(
    workspace.gitDir,
    links.map(({ sha }) => sha),
  )
  return new Map(links.map(({ path }, index) => [path, targets[index]!]))
}
