// Rows derive from the records of the domain: what is optional there is null here, what is no text or number is JSON.

import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { SessionEvent } from '../domain/session/events.ts'
import type {
  AgentCallRecord,
  Grant,
  IssueRecord,
  KnownAnswer,
  MessageRecord,
  SessionArtifact,
} from '../domain/session/records.ts'
import type { SessionRecord } from '../domain/session/session.ts'

type Column<Value> = [Value] extends [string | number] ? Value : string
type Columns<Row> = {
  [Name in keyof Row]-?: undefined extends Row[Name] ? Column<Exclude<Row[Name], undefined>> | null : Column<Row[Name]>
}

export interface Tables {
  sessions: Columns<SessionRecord>
  issues: Columns<IssueRecord>
  session_issues: { session_id: string; issue_id: string; position: number; outcome: string | null }
  events: Columns<SessionEvent & { key: string }>
  calls: Columns<AgentCallRecord>
  session_artifacts: Columns<SessionArtifact>
  answers: Columns<KnownAnswer>
  grants: Columns<Grant>
  said: Columns<MessageRecord> & { session_id: string; seq: number }
}

type Patch<Part> = {
  [Name in keyof Part]?: Column<NonNullable<Part[Name]>> | (null extends Part[Name] ? null : never)
}

/** The columns that hold JSON. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'settings',
  'options',
  'result',
  'ending',
  'waiting',
  'decision',
  'plan',
  'fix_files_modified',
  'data',
  'tokens',
  'outcome',
  'about',
  'codes',
  'cost_partial',
])

/** A whole record, or what there is of it yet: an absent field is null. */
export function toRow<Part extends object>(record: Part): Columns<Part> {
  return encodeRow(record, true) as Columns<Part>
}

/** Only what is to change: an undefined field stays as it is, null empties it. */
export function toPatch<Part extends object>(part: Part): Patch<Part> {
  return encodeRow(part, false) as Patch<Part>
}

function encodeRow(record: object, whole: boolean): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined && !whole) continue
    row[name] = value === undefined || value === null ? null : JSON_COLUMNS.has(name) ? JSON.stringify(value) : value
  }
  return row
}

export function fromRow<Schema extends z.ZodType>(schema: Schema, row: object): z.output<Schema> {
  const record: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    if (value === null) continue
    record[name] = JSON_COLUMNS.has(name) ? JSON.parse(value) : value
  }
  return schema.parse(record)
}
/** What each table's functions share. */
export interface StoreContext {
  readonly db: Kysely<Tables>
  /** The time of a write, as the records carry it. */
  now(): string
}
