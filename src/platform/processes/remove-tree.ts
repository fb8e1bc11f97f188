// Removes what processes left behind, however large and however locked. Links are removed, never followed. `rm` is no substitute:
// for 100,000 files it keeps this process busy for seconds with its callbacks, and it stops at a locked folder.
import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
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

async function removeEntries(path: string, pause: () => Promise<void>): Promise<void> {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats?.isDirectory()) return
    if ((stats.mode & 0o700) !== 0o700) chmodSync(path, 0o700)
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      await pause()
      const below = join(path, entry.name)
      if (entry.isDirectory()) await removeEntries(below, pause)
      else unlinkSync(below)
    }
    rmdirSync(path)
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
