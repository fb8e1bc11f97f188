import { type SessionEvent, TERMINAL_EVENTS } from '../domain/session/events/index.ts'
import type { Store } from './store.ts'

export interface FollowOptions {
  readonly after?: number
  readonly signal?: AbortSignal
}

/** Yields a session's events as any process writes them. Ends after the terminal event, or without an error when the signal aborts. */
export async function* followEvents(
  store: Store,
  sessionId: string,
  { after = 0, signal }: FollowOptions = {},
): AsyncGenerator<SessionEvent> {
  let seen = after
  for await (const _ of store.watch({ signal })) {
    // A read has a limit: only an empty one means that there is nothing more.
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
