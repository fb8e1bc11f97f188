// A poll reads only SQLite's change counters, so a watcher without changes costs next to nothing.
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../store.ts'
import { retryWhileLocked } from './dialect.ts'

const POLL_MS = 40
/** A watcher that was told nothing for two seconds looks this often, unless it says how often. */
const IDLE_POLL_MS = 200
const SLOWING = 1.1

export function createChangeWatch(database: DatabaseSync): Store['watch'] {
  const byOthers = database.prepare('pragma data_version')
  const byUs = database.prepare('select total_changes() as changes')
  const countChanges = () => Number(byOthers.get()?.data_version) + Number(byUs.get()?.changes)

  return async function* watch({ signal, pollMs } = {}) {
    let seen: number | undefined
    let pause = pollMs ?? POLL_MS
    while (!signal?.aborted) {
      const current = await retryWhileLocked(countChanges)
      if (current !== seen) {
        seen = current
        pause = pollMs ?? POLL_MS
        yield
      } else {
        await delay(pause, undefined, { signal }).catch(() => undefined)
        if (pollMs === undefined) pause = Math.min(pause * SLOWING, IDLE_POLL_MS)
      }
    }
  }
}
