// Finds repositories inside the work tree. Git does not report one in a directory with tracked files, so every directory is checked,
// except ignored ones: package managers keep checkouts there.
import { dirname, join } from 'node:path'
import { splitFields } from '../git.ts'
import { listSmallTree, type TreeItem } from '../list-small-tree.ts'
import { listTreeEntries } from '../repository/list-tree.ts'
import { getPathKind } from '../unruly-files.ts'
import type { Workspace } from './object-store.ts'
import { runWorkTreeGit } from './workspace.ts'

/** The directories, relative to the tree, that have their own `.git`. */
export async function findNestedRepositories(workspace: Workspace): Promise<string[]> {
  // A link may lead to a repository.
  const mayBeOne = ({ raw, entry }: TreeItem) => entry.isSymbolicLink() || raw.toLowerCase().endsWith('/.git')
  if (listSmallTree(workspace.tree)?.some(mayBeOne) === false) return []
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  return filterRepositories(workspace, splitFields((await runWorkTreeGit(workspace, args)).stdout))
}

/** The same, only directories with files of the tree that is checked out. */
export async function findRepositoriesAroundFiles(workspace: Workspace, checkedOut: string): Promise<string[]> {
  const entries = await listTreeEntries(workspace.gitDir, checkedOut)
  return filterRepositories(
    workspace,
    entries.map(({ path }) => path),
  )
}

function filterRepositories(workspace: Workspace, paths: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of paths) {
    // Git lists a repository with a slash at its end, and a submodule like a file.
    let folder = path.replace(/\/$/, '')
    for (; folder !== '.' && !folders.has(folder); folder = dirname(folder)) folders.add(folder)
  }
  return [...folders].sort().filter((folder) => getPathKind(join(workspace.tree, folder, '.git')) !== 'missing')
}
