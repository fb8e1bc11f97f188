// Which events a person is told of who looks elsewhere: a session's end, and its waits for people, once it has run for long.
import type { Settings } from '../settings/schema.ts'
import { type SessionEvent, TERMINAL_EVENTS } from './events/index.ts'
import { isWaitingForPerson, type SessionRecord } from './session.ts'

export interface SessionNotice {
  readonly event: 'ended' | 'waits'
  readonly message: string
}

type NoticedSession = Pick<SessionRecord, 'session_id' | 'started_at'> & { readonly settings: Pick<Settings, 'notify'> }

/** Whether an event of this type may be one that a person is told of. */
export function isNoticeable(type: SessionEvent['type']): boolean {
  return type === 'fix_waiting' || TERMINAL_EVENTS.has(type)
}

/** Undefined if nobody has to be told. */
export function findNotice(
  { session_id, started_at, settings }: NoticedSession,
  { type, data, message, timestamp }: SessionEvent,
): SessionNotice | undefined {
  // Sessions from before have no such settings.
  const after = settings.notify?.after_seconds ?? Number.POSITIVE_INFINITY
  if (Date.parse(timestamp) - Date.parse(started_at) < after * 1000) return undefined
  if (type === 'fix_waiting') {
    const { kind, reason, answer } = data
    if (!isWaitingForPerson({ waiting: { kind, reason, since: timestamp } })) return undefined
    return { event: 'waits', message: `session ${session_id} waits for ${reason}${answer ? `: ${answer}` : ''}` }
  }
  return TERMINAL_EVENTS.has(type)
    ? { event: 'ended', message: `session ${session_id} has ended: ${message}` }
    : undefined
}
