// SQLite tells no other process of a change, but every write goes to its write-ahead log, which the kernel watches. A look reads only
// SQLite's change counters.
import type { DatabaseSync } from 'node:sqlite'
import { watchPath } from '../../platform/files/watch-path.ts'
import type { Store } from '../store.ts'
import { retryWhileLocked } from './dialect.ts'

/** The log is written a moment before its readers see the change, so a notice is followed by looks at growing pauses. */
const FIRST_PAUSE_MS = 2
const SLOWING = 1.6
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
      } else if (await log.wait(pause, signal)) pause = FIRST_PAUSE_MS
      else pause = Math.min(pause * SLOWING, log.givesNotices() ? LONGEST_PAUSE_MS : LONGEST_POLL_MS)
    }
  }
}
