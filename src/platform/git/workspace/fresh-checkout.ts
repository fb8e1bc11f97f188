// A fresh checkout holds exactly one tree: no ignored file, none that an agent left behind. It has a decoy of its own as `.git`, so
// that a command that asks git finds the same as in the session's work tree. Our index and refs are not touched.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { clearPath, describeFileError, getPathKind, removePath, type UnremovedPath } from '../unruly-files.ts'
import { buildDecoy } from './decoy-git-dir.ts'
import { fillWorkTree } from './fill-tree.ts'
import type { Workspace } from './object-store.ts'
import { listModified } from './snapshot-and-reset.ts'
import { putWorkTreeBack, setWorkTreeAside } from './work-tree-aside.ts'

export interface CheckoutRequest {
  /** A tree in the workspace's object store. */
  readonly tree: string
  /** The commit that HEAD names there. */
  readonly head: string
  /** The name of its folder below `checkouts`. */
  readonly name: string
  /** Stands where the session's work tree is, which is set aside meanwhile. */
  readonly inPlace?: boolean | undefined
  /** Receives what can't be removed, such as files that the work made as another user. The work's result stands. */
  readonly onUnremoved: (left: UnremovedPath) => Promise<void>
}

export interface Checkout {
  readonly folder: string
  /** Makes the tracked files match the tree again. Returns whether ignored and new files are still there. */
  reset(): Promise<boolean>
  listModified(): Promise<string[]>
}

/**
 * Makes the folder, hands it to the work, and removes it, however the work ends. What a killed worker left there is removed first. Content
 * that can't be removed is moved aside within the workspace and goes with it.
 */
export async function withFreshCheckout<T>(
  workspace: Workspace,
  { tree, head, name, inPlace = false, onUnremoved }: CheckoutRequest,
  work: (checkout: Checkout) => Promise<T>,
): Promise<T> {
  // If the worker dies, the folder goes with the workspace.
  const all = join(workspace.directory, 'checkouts')
  // A link in its place would lead out of the workspace.
  if (getPathKind(all) !== 'directory') await removePath(all)
  const directory = join(all, name)
  const index = join(directory, 'index')
  const at: Workspace = { ...workspace, directory, tree: inPlace ? workspace.tree : join(directory, 'tree') }
  const call = { env: { GIT_INDEX_FILE: index } }
  async function reset(): Promise<boolean> {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const isKept = await fillWorkTree(at, tree, { ...call, clear: clearAndMake })
    await buildDecoy(at, { index, head })
    return isKept
  }
  async function clear(): Promise<void> {
    for (const path of inPlace ? [directory, at.tree] : [directory]) {
      const left = await clearPath(path, workspace.directory)
      if (left) await onUnremoved(left)
    }
  }
  /** The index lies beside the tree. */
  async function clearAndMake(): Promise<void> {
    await clear()
    await mkdir(directory, { recursive: true, mode: 0o700 })
  }
  await putWorkTreeBack(workspace)
  if (inPlace) await setWorkTreeAside(workspace)
  await clear()
  try {
    await reset()
    return await work({ folder: at.tree, reset, listModified: () => listModified(at, call) })
  } finally {
    await clear().catch((error: unknown) => onUnremoved({ path: directory, reason: describeFileError(error) }))
    await putWorkTreeBack(workspace)
  }
}
