import type { NewEvent, SessionEvent } from '../domain/session/events/index.ts'

/** Append-only. Each session's events are numbered without gaps, each key is there once, and nothing follows the terminal event. */
export interface EventLog {
  /**
   * Returns the events it added. Events whose key is there already are left out, and so are events after the terminal one (a late line
   * of a cancelled agent call).
   */
  append(sessionId: string, events: readonly NewEvent[]): Promise<SessionEvent[]>
  /** At most `limit` events, by default 1000. */
  listAfter(sessionId: string, seq?: number, limit?: number): Promise<SessionEvent[]>
  listAll(sessionId: string): Promise<SessionEvent[]>
  findLast(sessionId: string): Promise<SessionEvent | undefined>
}
