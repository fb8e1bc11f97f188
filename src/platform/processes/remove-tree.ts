// Takes away what processes left behind, however much it is and however they locked it. Links are removed, never followed.
// Its own walk: `rm` of 100,000 files keeps the whole process busy for seconds with its own callbacks, and stops at a locked folder.
import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

// A worker that is not heard of for some seconds counts as dead.
const MAX_BUSY_MS = 10

/** An error where something can't be taken away. */
export async function removeTree(path: string, pause = createYield()): Promise<void> {
  await removeEntries(path, pause)
  // What was in the way says so, and what came in between goes, too.
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
    // Left to be told by who removes the rest.
  }
}

/** For work that may turn out long. To be awaited between two steps of it: now and then everything else of this process gets its turn. */
export function createYield(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MAX_BUSY_MS) return
    await nextTurn()
    since = performance.now()
  }
}
