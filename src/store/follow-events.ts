// Follows a session's events as they are written, by any process. Between two looks it asks SQLite only for its change
// counter, so a follower that has nothing to see costs next to nothing.
import { setTimeout as delay } from 'node:timers/promises'
import { type SessionEvent, TERMINAL_EVENTS } from '../domain/session/events.ts'
import type { Store } from './store.ts'

export interface FollowOptions {
  /** The last sequence number already seen. */
  readonly after?: number
  readonly signal?: AbortSignal
  readonly intervalMs?: number
}

/** Ends after the terminal event, or quietly when the signal aborts. */
export async function* followEvents(
  store: Store,
  sessionId: string,
  { after = 0, signal, intervalMs = 40 }: FollowOptions = {},
): AsyncGenerator<SessionEvent> {
  let seen = after
  let version: number | undefined
  while (!signal?.aborted) {
    const current = await store.readChangeCounter()
    if (current === version) {
      // An abort is the way to end this, not an error.
      await delay(intervalMs, undefined, { signal }).catch(() => undefined)
      continue
    }
    const events = await store.events.listAfter(sessionId, seen)
    for (const event of events) {
      seen = event.seq
      yield event
      if (TERMINAL_EVENTS.has(event.type)) return
    }
    // A full page may not be all of it; only an empty look means that there is nothing more as of that version.
    if (events.length === 0) version = current
  }
}
