// Makes the files of a work tree what a tree says, also where some of its folders are another user's by now: a check in a container gave
// them away, or made them anew. Such a work tree is begun anew; nobody could fix anything in it either.
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureDirectoryAccess, getPathKind } from '../files.ts'
import { GitError, type GitOptions } from '../git.ts'
import type { Workspace } from './object-store.ts'
import { listTreeEntries } from './tree-entries.ts'
import { runWorkTreeGitRetrying } from './workspace.ts'

export interface FillOptions extends GitOptions {
  /** Has nothing lie any more where the work tree is. */
  readonly clear: () => Promise<void>
}

/** Answers whether all files that git does not know are still there. */
export async function fillWorkTree(
  workspace: Workspace,
  target: string,
  { clear, ...call }: FillOptions,
): Promise<boolean> {
  if (ensureDirectoryAccess(workspace.tree) && (await writeTrackedFiles(workspace, target, call))) {
    if ((await findLockedFolder(workspace, target)) === undefined) return true
  }
  await clear()
  await mkdir(workspace.tree, { recursive: true, mode: 0o700 })
  if (await writeTrackedFiles(workspace, target, call)) return false
  throw new Error(`${workspace.tree} can't be written into: give the user that runs Fixwright the right to`)
}

/** Makes the files that git knows what that tree says, and leaves all others alone; answers whether it may. */
export async function writeTrackedFiles(workspace: Workspace, target: string, call: GitOptions = {}): Promise<boolean> {
  try {
    await runWorkTreeGitRetrying(workspace, ['read-tree', '--reset', '-u', target], call)
    return true
  } catch (error) {
    if (error instanceof GitError && DENIED.test(error.stderr)) return false
    throw error
  }
}

const DENIED = /: (Permission denied|Operation not permitted)$/m

/**
 * A folder with files of that tree, or the one of its git, which could not even be moved out of it, that we may not change, even after
 * giving ourselves the right to; by its path in the tree.
 */
export async function findLockedFolder(workspace: Workspace, target: string): Promise<string | undefined> {
  const folders = new Set(['.git'])
  for (const { path } of await listTreeEntries(workspace, target)) {
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder)
  }
  return [...folders].find((folder) => {
    const place = join(workspace.tree, folder)
    return getPathKind(place) === 'directory' && !ensureDirectoryAccess(place)
  })
}
