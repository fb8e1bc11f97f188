// For synchronous work that may turn out long: now and then everything else that this process does gets its turn. A worker that is
// not heard of for some seconds counts as dead.
import { setImmediate as nextTurn } from 'node:timers/promises'

const MAX_BUSY_MS = 10

/** To be awaited between two steps of the work; returns at once as long as nobody has waited for long. */
export function createYield(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MAX_BUSY_MS) return
    await nextTurn()
    since = performance.now()
  }
}
