// The events of a session: one union over their types, what each holds in `data`, and the English that people read of it.
// The log gives an event its number, its time and its message when it is appended.
import { z } from 'zod'
import * as agentCallEvents from './agent-call-events.ts'
import * as batchEvents from './batch-events.ts'
import * as challengeEvents from './challenge-events.ts'
import { type EventSubject, listDefinitions, type SessionTotal } from './define-event.ts'
import * as issueEvents from './issue-events.ts'
import * as logEvent from './logs/log-event.ts'
import * as peopleEvents from './people-events.ts'
import * as scopeEvents from './scope-events.ts'
import * as sessionEvents from './session-events.ts'
import * as verificationEvents from './verification-events.ts'
import * as voteEvents from './vote-events.ts'
import * as waitEvents from './wait-events.ts'

export type { EventSubject } from './define-event.ts'
export { LogCode } from './logs/log-event.ts'
export { TERMINAL_EVENTS } from './session-events.ts'

const DEFINITIONS = listDefinitions([
  sessionEvents,
  sessionEvents.SESSION_ENDS,
  peopleEvents,
  scopeEvents,
  waitEvents,
  issueEvents,
  batchEvents,
  agentCallEvents,
  verificationEvents,
  challengeEvents,
  voteEvents,
  logEvent,
])
type Definition = (typeof DEFINITIONS)[number]

export const EventType = z.enum(DEFINITIONS.map(({ type }) => type))
export type EventType = Definition['type']

/** As the log keeps it. */
export type SessionEvent = z.output<Definition['schema']>
const schemas = DEFINITIONS.map(({ schema }) => schema)
export const SessionEvent: z.ZodType<SessionEvent> = z.discriminatedUnion('type', schemas as [(typeof schemas)[number]])

/** Before the log keeps it. Writing the same `key` twice leaves one event. */
export type NewEvent = ReturnType<Definition['create']>

const describers = new Map<EventType, unknown>(DEFINITIONS.map(({ type, describe }) => [type, describe]))

/** The sentence that people read. */
export function describeEvent({ type, data, ...subject }: Pick<NewEvent, 'type' | 'data'> & EventSubject): string {
  // A type's describer takes the data of that type.
  const describe = describers.get(type) as (data: object, subject: EventSubject) => string
  return describe(data, subject)
}

/** The same event, with what the session has spent by then, and the lane whose work it is. */
export function withSessionTotal<Event extends NewEvent>(event: Event, total: SessionTotal, lane?: number): Event {
  return { ...event, data: { ...event.data, ...(lane === undefined ? {} : { lane }), total } }
}

/** Every issue that an event is about. */
export function listEventIssueCodes({ issue_code, data }: SessionEvent): readonly string[] {
  if ('codes' in data) return data.codes
  return issue_code === undefined ? [] : [issue_code]
}

/** The issues that a call works on, said by its start. A call that asks anything else is about none of them alone. */
export function listCallIssueCodes(event: SessionEvent): readonly string[] {
  return event.type === 'fix_call_started' && event.data.about === undefined ? event.data.codes : []
}

/** The step of the session that an event belongs to. */
export function getEventStepId({ data }: SessionEvent): string | undefined {
  return 'call' in data ? data.call : undefined
}
