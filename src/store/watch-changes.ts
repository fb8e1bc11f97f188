// Tells that something was written, by any process. Between two looks it asks SQLite only for its change counter.
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from './store.ts'

export interface WatchChangesOptions {
  readonly signal?: AbortSignal | undefined
  readonly intervalMs?: number
}

/** Once at the beginning, then after each change; several that come close together are one. Ends when the signal aborts. */
export async function* watchChanges(
  store: Store,
  { signal, intervalMs = 40 }: WatchChangesOptions = {},
): AsyncGenerator<void> {
  let seen: number | undefined
  while (!signal?.aborted) {
    const current = await store.readChangeCounter()
    if (current !== seen) {
      seen = current
      yield
    } else await delay(intervalMs, undefined, { signal }).catch(() => undefined)
  }
}
