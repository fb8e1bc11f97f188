import type { NewEvent, SessionEvent } from '../domain/session/events/index.ts'

/** Append-only: a sequence without gap per session, each key once, nothing after the terminal event. */
export interface EventLog {
  /**
   * Answers with what is new in the log: events whose key is there already are left out, and so is what comes after the
   * terminal event (a late line of a call that was cancelled).
   */
  append(sessionId: string, events: readonly NewEvent[]): Promise<SessionEvent[]>
  /** At most `limit` of them, 1000 unless told. */
  listAfter(sessionId: string, seq?: number, limit?: number): Promise<SessionEvent[]>
  listAll(sessionId: string): Promise<SessionEvent[]>
  findLast(sessionId: string): Promise<SessionEvent | undefined>
}
