// Events for tests that need some, and the typed way to find them again.
import type { EventType, NewEvent, SessionEvent } from '../../../../src/domain/session/events/index.ts'
import { logPlanRemarks } from '../../../../src/domain/session/events/logs/session-logs.ts'
import { GATE_LOG_CASES } from './cases/gate-logs.ts'
import { GATE_CASES } from './cases/gates.ts'
import { PEOPLE_CASES } from './cases/people.ts'
import { REVIEW_CASES } from './cases/reviews.ts'
import { SESSION_CASES } from './cases/session.ts'
import { VOTE_CASES } from './cases/votes.ts'
import { WORK_CASES } from './cases/work.ts'

export const CASES = [
  ...SESSION_CASES,
  ...PEOPLE_CASES,
  ...WORK_CASES,
  ...GATE_CASES,
  ...GATE_LOG_CASES,
  ...REVIEW_CASES,
  ...VOTE_CASES,
]

/** A line of the log whose message is this text. */
export function logLine(key: string, text = key): NewEvent {
  const [line] = logPlanRemarks('', [text])
  return { ...(line as NewEvent), key }
}

/** Any event of this type. */
export function anyEvent(type: EventType, key: string = type): NewEvent {
  const [event] = CASES.find(([each]) => each.type === type) ?? []
  return { ...(event as NewEvent), key }
}

export function eventsOfType<Type extends EventType>(events: readonly SessionEvent[], type: Type) {
  return events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)
}
