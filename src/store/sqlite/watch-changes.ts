// SQLite tells no other process of a change, but every write goes to its write-ahead log, which the kernel watches. A look reads only
// SQLite's change counters.
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { watchPath } from '../../platform/files/watch-path.ts'
import type { Store } from '../store.ts'
import { retryWhileLocked } from './dialect.ts'

/** A commit is several writes, and readers see it a moment after the last: one look, this long after the first, finds most of them. */
const COMMIT_MS = 2
/** For a writer that was held up, a notice is followed by looks at growing pauses. */
const FIRST_PAUSE_MS = 16
const SLOWING = 8
const LONGEST_PAUSE_MS = 1_000
/** Without notices. */
const LONGEST_POLL_MS = 100

/** `file`: undefined for a database in memory. */
export function createChangeWatch(database: DatabaseSync, file?: string): Store['watch'] {
  const byOthers = database.prepare('pragma data_version')
  const byUs = database.prepare('select total_changes() as changes')
  const countChanges = () => Number(byOthers.get()?.data_version) + Number(byUs.get()?.changes)

  return async function* watch({ signal } = {}) {
    using log = watchPath(file && `${file}-wal`)
    let seen: number | undefined
    let pause = FIRST_PAUSE_MS
    while (!signal?.aborted) {
      const current = await retryWhileLocked(countChanges)
      if (current !== seen) {
        seen = current
        pause = FIRST_PAUSE_MS
        yield
      }
      if (await log.wait(pause, signal)) {
        await delay(COMMIT_MS)
        pause = FIRST_PAUSE_MS
      } else pause = Math.min(pause * SLOWING, log.givesNotices() ? LONGEST_PAUSE_MS : LONGEST_POLL_MS)
    }
  }
}
