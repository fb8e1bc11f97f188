// Makes the files of a work tree match a git tree. If a check in a container left folders to another user, the work tree is begun anew:
// nobody could fix anything in it either.
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { GitError, type GitOptions } from '../git.ts'
import { listTreeEntries } from '../repository/list-tree.ts'
import { ensureDirectoryAccess, getPathKind } from '../unruly-files.ts'
import type { Workspace } from './object-store.ts'
import { removeBlockers } from './untakeable-entries.ts'
import { runWorkTreeGitRetrying } from './workspace.ts'

export interface FillOptions extends GitOptions {
  /** Empties the place of the work tree. */
  readonly clear: () => Promise<void>
}

/** Returns whether all files that git does not track are still there. */
export async function fillWorkTree(
  workspace: Workspace,
  target: string,
  { clear, ...call }: FillOptions,
): Promise<boolean> {
  await removeBlockers(workspace, call)
  if (ensureDirectoryAccess(workspace.tree) && (await writeTrackedFiles(workspace, target, call))) {
    if ((await findLockedFolder(workspace, target)) === undefined) return true
  }
  await clear()
  await mkdir(workspace.tree, { recursive: true, mode: 0o700 })
  if (await writeTrackedFiles(workspace, target, call)) return false
  throw new Error(`${workspace.tree} can't be written into: give the user that runs Fixwright the right to`)
}

/** Makes the tracked files match the tree and leaves all others alone. Returns false if a folder denies it. */
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
 * The path of a folder with files of the tree that we may not change, even after restoring our right to. `.git` counts too: the decoy
 * could not be moved away.
 */
export async function findLockedFolder(workspace: Workspace, target: string): Promise<string | undefined> {
  const folders = new Set(['.git'])
  for (const { path } of await listTreeEntries(workspace.gitDir, target)) {
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder)
  }
  return [...folders].find((folder) => {
    const place = join(workspace.tree, folder)
    return getPathKind(place) === 'directory' && !ensureDirectoryAccess(place)
  })
}
