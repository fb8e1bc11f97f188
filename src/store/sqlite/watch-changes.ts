// A poll reads only SQLite's change counters, so a watcher without changes costs next to nothing.
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../store.ts'
import { retryWhileLocked } from './dialect.ts'

const POLL_MS = 40

export function createChangeWatch(database: DatabaseSync): Store['watch'] {
  const byOthers = database.prepare('pragma data_version')
  const byUs = database.prepare('select total_changes() as changes')
  const countChanges = () => Number(byOthers.get()?.data_version) + Number(byUs.get()?.changes)

  return async function* watch({ signal, pollMs = POLL_MS } = {}) {
    let seen: number | undefined
    while (!signal?.aborted) {
      const current = await retryWhileLocked(countChanges)
      if (current !== seen) {
        seen = current
        yield
      } else await delay(pollMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
