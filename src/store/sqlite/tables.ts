// The tables as Kysely sees them, derived from the records of the domain: what is optional there is null here, what is no text or
// number is JSON.
import type { Kysely } from 'kysely'
import type { EventType, SessionEvent } from '../../domain/session/events/index.ts'
import type {
  AgentCallRecord,
  Grant,
  IssueRecord,
  KnownAnswer,
  MessageRecord,
  SessionArtifact,
} from '../../domain/session/records.ts'
import type { SessionRecord } from '../../domain/session/session.ts'

export type Column<Value> = [Value] extends [string | number] ? Value : string
export type Columns<Row> = {
  [Name in keyof Row]-?: undefined extends Row[Name] ? Column<Exclude<Row[Name], undefined>> | null : Column<Row[Name]>
}

/** Which type has which data is known to its schema. */
type EventRecord = Omit<SessionEvent, 'type' | 'data'> & { key: string; type: EventType; data: object }

export interface Tables {
  sessions: Columns<SessionRecord>
  issues: Columns<IssueRecord>
  session_issues: { session_id: string; issue_id: string; position: number; outcome: string | null }
  events: Columns<EventRecord>
  agent_calls: Columns<AgentCallRecord>
  session_artifacts: Columns<SessionArtifact>
  answers: Columns<KnownAnswer>
  grants: Columns<Grant>
  messages: Columns<MessageRecord> & { session_id: string; seq: number }
}

/** What the functions of each table share. */
export interface StoreContext {
  readonly db: Kysely<Tables>
  /** The time of a write, as the records carry it. */
  now(): string
}
