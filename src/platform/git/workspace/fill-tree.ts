// Makes the files of a work tree what a tree says, also where some of its folders are another user's by now: a check in a container gave
// them away, or made them anew. Such a work tree is begun anew; nobody could fix anything in it either.
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { kindOf, openUp } from '../files.ts'
import { type GitCall, GitError } from '../git.ts'
import type { Workspace } from './object-store.ts'
import { entriesOf } from './tree-entries.ts'
import { treeGitFirmly } from './workspace.ts'

export interface Filling extends GitCall {
  /** Has nothing lie any more where the work tree is. */
  readonly clear: () => Promise<void>
}

/** Answers whether all files that git does not know are still there. */
export async function fillTree(workspace: Workspace, target: string, { clear, ...call }: Filling): Promise<boolean> {
  if (openUp(workspace.tree) && (await writeTracked(workspace, target, call))) {
    if ((await lockedFolder(workspace, target)) === undefined) return true
  }
  await clear()
  await mkdir(workspace.tree, { recursive: true, mode: 0o700 })
  if (await writeTracked(workspace, target, call)) return false
  throw new Error(`${workspace.tree} can't be written into: give the user that runs Fixwright the right to`)
}

/** Makes the files that git knows what that tree says, and leaves all others alone; answers whether it may. */
export async function writeTracked(workspace: Workspace, target: string, call: GitCall = {}): Promise<boolean> {
  try {
    await treeGitFirmly(workspace, ['read-tree', '--reset', '-u', target], call)
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
export async function lockedFolder(workspace: Workspace, target: string): Promise<string | undefined> {
  const folders = new Set(['.git'])
  for (const { path } of await entriesOf(workspace, target)) {
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder)
  }
  return [...folders].find((folder) => {
    const place = join(workspace.tree, folder)
    return kindOf(place) === 'directory' && !openUp(place)
  })
}
