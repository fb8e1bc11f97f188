// What a session says while it waits, and when it goes on: in its event log and in the store, for whoever looks at it.
import type { NoteInput } from '../domain/protocol.ts'
import { tell, type Workshop } from './workshop.ts'

export async function note(shop: Workshop, { sessionId, call, message, waiting }: NoteInput): Promise<void> {
  const type = waiting ? 'fix_waiting' : 'fix_resumed'
  const data = waiting && { since: waiting.since, until: waiting.until }
  await tell(shop, sessionId, [{ key: call, type, message, ...(data ? { data } : {}) }])
  await shop.store.sessions.update(sessionId, {
    waiting: waiting
      ? {
          kind: call.includes('commit') ? 'branch' : 'limit',
          reason: waiting.for,
          since: new Date(waiting.since).toISOString(),
          ...(waiting.until === undefined ? {} : { until: new Date(waiting.until).toISOString() }),
        }
      : null,
  })
}
