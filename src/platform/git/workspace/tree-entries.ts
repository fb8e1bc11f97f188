// Lists the files of a tree with their hashes: files with the same hash need not be read.
import { splitRawFields } from '../git.ts'
import { readBlobTexts } from '../repository/inspect.ts'
import { parseTreeEntry, SYMLINK_MODE, type TreeEntry } from '../repository/list-tree.ts'
import type { Workspace } from './object-store.ts'
import { runWorkspaceGit } from './workspace.ts'

export async function listTreeEntries(workspace: Workspace, tree: string): Promise<TreeEntry[]> {
  const { stdout } = await runWorkspaceGit(workspace, ['ls-tree', '-r', '-z', '--full-tree', tree])
  return splitRawFields(stdout).map(parseTreeEntry)
}

/** Path → the link's target. Resolving a path takes all links of the tree. */
export async function readSymlinkTargets(workspace: Workspace, tree: string): Promise<ReadonlyMap<string, string>> {
  const links = (await listTreeEntries(workspace, tree)).filter(({ mode }) => mode === SYMLINK_MODE)
  const targets = await readBlobTexts(
    workspace.gitDir,
    links.map(({ sha }) => sha),
  )
  return new Map(links.map(({ path }, index) => [path, targets[index]!]))
}
