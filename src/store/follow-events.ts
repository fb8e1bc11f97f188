import { type SessionEvent, TERMINAL_EVENTS } from '../domain/session/events/index.ts'
import type { Store } from './store.ts'

export interface FollowOptions {
  /** The last sequence number already seen. */
  readonly after?: number
  readonly signal?: AbortSignal
}

/** A session's events as they are written, by any process. Ends after the terminal event, or quietly when the signal aborts. */
export async function* followEvents(
  store: Store,
  sessionId: string,
  { after = 0, signal }: FollowOptions = {},
): AsyncGenerator<SessionEvent> {
  let seen = after
  for await (const _ of store.watch({ signal })) {
    // One look may not be all of it: only an empty one means that there is nothing more.
    for (let events = await look(); events.length > 0 && !signal?.aborted; events = await look()) {
      for (const event of events) {
        seen = event.seq
        yield event
        if (TERMINAL_EVENTS.has(event.type)) return
      }
    }
  }

  function look(): Promise<SessionEvent[]> {
    return store.events.listAfter(sessionId, seen)
  }
}
