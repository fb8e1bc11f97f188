// Kysely's types of the tables, derived from the domain's records. An optional field may be null, and all but text and numbers is JSON.
import type { Generated, Kysely } from 'kysely'
import type { AccessToken, AuditRecord } from '../../domain/access/access-token.ts'
import type { RequestKey } from '../../domain/access/request-key.ts'
import type { ImportRecord, IssueOrigin, TaskRecord } from '../../domain/import/import-record.ts'
import type { RepositoryRecord } from '../../domain/repository/repository.ts'
import type { EventType, SessionEvent } from '../../domain/session/events/index.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type {
  AgentCallRecord,
  Grant,
  IssueRecord,
  KnownAnswer,
  MessageRecord,
  SessionArtifact,
} from '../../domain/session/store-records.ts'
import type { Webhook, WebhookMessage } from '../../domain/webhook/webhook.ts'

export type Column<Value> = [Value] extends [string | number] ? Value : string
export type Columns<Row> = {
  [Name in keyof Row]-?: undefined extends Row[Name] ? Column<Exclude<Row[Name], undefined>> | null : Column<Row[Name]>
}

/** The schema of an event, and not its columns, ties `data` to `type`. */
type EventRecord = Omit<SessionEvent, 'type' | 'data'> & { key: string; type: EventType; data: object }

/** The folder and the name of a repository stand in its own row only. */
type WithoutFolder<Row> = Omit<Row, 'repository' | 'repository_name'>

export interface Tables {
  repositories: Columns<RepositoryRecord>
  sessions: Columns<WithoutFolder<SessionRecord>>
  issues: Columns<WithoutFolder<IssueRecord>>
  tasks: Columns<TaskRecord>
  imports: Columns<ImportRecord>
  issue_origins: Columns<IssueOrigin>
  import_effects: { import_id: string; issue_id: string; kind: string; version: number; before: string | null }
  session_issues: { session_id: string; issue_id: string; position: number; outcome: string | null }
  /** `rowid` is SQLite's own. */
  events: Columns<EventRecord> & { rowid: Generated<number> }
  agent_calls: Columns<AgentCallRecord>
  session_artifacts: Columns<SessionArtifact>
  answers: Columns<KnownAnswer>
  grants: Columns<Grant>
  messages: Columns<MessageRecord> & { session_id: string; seq: number }
  access_tokens: Columns<AccessToken>
  webhooks: Columns<Webhook>
  webhook_messages: Columns<WebhookMessage> & { number: Generated<number> }
  audit_records: Columns<AuditRecord> & { number: Generated<number> }
  request_keys: Columns<RequestKey>
}

export interface StoreContext {
  readonly db: Kysely<Tables>
  /** The time of a write, in ISO format. */
  now(): string
}
