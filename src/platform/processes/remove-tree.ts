// Removes what processes left behind, however large and however locked. Links are removed, never followed. `rm` is no substitute:
// for 100,000 files it keeps this process busy for seconds with its callbacks, and it stops at a locked folder.
import { chmodSync, lstatSync, readdirSync, unlinkSync } from 'node:fs'
import { rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

// A worker that sends no heartbeat for some seconds counts as dead.
const MAX_BUSY_MS = 10

/** Throws if something can't be removed. */
export async function removeTree(path: string, pause = createYield()): Promise<void> {
  await removeEntries(path, pause)
  // This removes what appeared in the meantime, and reports what can't be removed.
  if (lstatSync(path, { throwIfNoEntry: false })) await rm(path, { recursive: true, force: true, maxRetries: 3 })
}

/** Folders of one folder that are removed at the same time: removing one is mostly waiting for the disk. */
const FOLDERS_AT_ONCE = 16

async function removeEntries(path: string, pause: () => Promise<void>): Promise<void> {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats?.isDirectory()) return
    if ((stats.mode & 0o700) !== 0o700) chmodSync(path, 0o700)
    const folders: string[] = []
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      await pause()
      const below = join(path, entry.name)
      if (entry.isDirectory()) folders.push(below)
      else unlinkSync(below)
    }
    for (let from = 0; from < folders.length; from += FOLDERS_AT_ONCE) {
      await Promise.all(folders.slice(from, from + FOLDERS_AT_ONCE).map((folder) => removeEntries(folder, pause)))
    }
    await rmdir(path)
  } catch {
    // `removeTree` reports what is left.
  }
}

/** For long work: awaited between two steps, it gives the rest of this process its turn every few milliseconds. */
export function createYield(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MAX_BUSY_MS) return
    await nextTurn()
    since = performance.now()
  }
}
