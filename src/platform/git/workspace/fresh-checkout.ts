// A folder that holds exactly one tree and nothing else: no file that is ignored, none that an agent left behind. It has a decoy of its
// own as `.git`, so that what asks git finds the same as in the session's work tree. Our index and our refs are not touched.
import { join } from 'node:path'
import { clearPath, describeFileError, getPathKind, type Leftover, removePath } from '../files.ts'
import { buildDecoy } from './decoy-git-dir.ts'
import { fillWorkTree } from './fill-tree.ts'
import type { Workspace } from './object-store.ts'
import { listModified } from './snapshot-and-reset.ts'

export interface CheckoutRequest {
  /** One of the workspace's objects. */
  readonly tree: string
  /** The commit that is found there as HEAD. */
  readonly head: string
  /** Names its folder among those of the workspace. */
  readonly name: string
  /** Hears of what can't be removed, such as files that the work made as another user. The work's result stands. */
  readonly onLeftover: (left: Leftover) => Promise<void>
  readonly signal?: AbortSignal | undefined
}

export interface Checkout {
  readonly folder: string
  /** Makes its files again what the tree says, ignored and new ones apart. Answers whether these are still there. */
  reset(): Promise<boolean>
  /** Those that are not what the tree says, ignored and new ones apart. */
  listModified(): Promise<string[]>
}

/**
 * Makes the folder, hands it to the work, and removes it, however that ends. What a killed worker left of it goes first. What can't be
 * removed is in nobody's way, and goes with the workspace.
 */
export async function withFreshCheckout<T>(
  workspace: Workspace,
  { tree, head, name, onLeftover, signal }: CheckoutRequest,
  work: (checkout: Checkout) => Promise<T>,
): Promise<T> {
  // Goes with the workspace, should nobody come back to remove it.
  const all = join(workspace.directory, 'checkouts')
  // Whoever put something else in its place would have it lead out of here.
  if (getPathKind(all) !== 'directory') await removePath(all)
  const directory = join(all, name)
  const index = join(directory, 'index')
  const at: Workspace = { ...workspace, directory, tree: join(directory, 'tree') }
  const call = { signal, env: { GIT_INDEX_FILE: index } }
  async function reset(): Promise<boolean> {
    const isKept = await fillWorkTree(at, tree, { ...call, clear })
    await buildDecoy(at, { index, head })
    return isKept
  }
  async function clear(): Promise<void> {
    const left = await clearPath(directory, workspace.directory)
    if (left) await onLeftover(left)
  }
  await clear()
  try {
    await reset()
    return await work({ folder: at.tree, reset, listModified: () => listModified(at, call) })
  } finally {
    await clear().catch((error: unknown) => onLeftover({ path: directory, reason: describeFileError(error) }))
  }
}
