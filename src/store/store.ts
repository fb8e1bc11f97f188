// The store: issues, sessions, events, calls, what people said, and which session needs which artifact. One file, shared by every
// process of a FIXWRIGHT_HOME. It survives the death of any process at any moment.
// Gap: when the machine itself loses power, the last transactions may be missing (synchronous = NORMAL); the file stays sound.
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type AgentCallTable, createAgentCallTable } from './agent-calls.ts'
import { type ArtifactTable, createArtifactTable } from './artifact-index.ts'
import { type CreateSession, createSessionCreator } from './create-session.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { createIssueTable, type IssueTable } from './issues.ts'
import { createMessageLog, type MessageLog } from './messages.ts'
import { type AnswerTable, createAnswerTable } from './remembered-answers.ts'
import type { StoreContext, Tables } from './row-mapping.ts'
import { migrateSchema } from './schema-migrations.ts'
import { createGrantTable, type GrantTable } from './scope-grants.ts'
import { createSessionTable, type SessionTable } from './sessions.ts'
import { createKysely, retryWhileLocked } from './sqlite/dialect.ts'

export interface Store {
  readonly createSession: CreateSession
  readonly issues: IssueTable
  readonly sessions: SessionTable
  readonly events: EventLog
  readonly agentCalls: AgentCallTable
  readonly artifacts: ArtifactTable
  readonly answers: AnswerTable
  readonly grants: GrantTable
  readonly messages: MessageLog
  /** A number that changes whenever anyone, also another process, has written: two equal ones mean nothing is new. */
  readChangeCounter(): Promise<number>
  /** Waits for nothing: what is under way on this connection fails. */
  close(): void
}

export interface StoreOptions {
  readonly now?: () => Date
}

export async function openStore(file: string, { now = () => new Date() }: StoreOptions = {}): Promise<Store> {
  makeFilePrivate(file)
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    await retryWhileLocked(() =>
      database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on'),
    )
    await migrateSchema(database)
  } catch (error) {
    database.close()
    throw error
  }
  const base: StoreContext = { db: createKysely<Tables>(database), now: () => now().toISOString() }
  const others = database.prepare('pragma data_version')
  const own = database.prepare('select total_changes() as changes')
  return {
    createSession: createSessionCreator(base),
    issues: createIssueTable(base),
    sessions: createSessionTable(base),
    events: createEventLog(base),
    agentCalls: createAgentCallTable(base),
    artifacts: createArtifactTable(base),
    answers: createAnswerTable(base),
    grants: createGrantTable(base),
    messages: createMessageLog(base),
    readChangeCounter: () => retryWhileLocked(() => Number(others.get()?.data_version) + Number(own.get()?.changes)),
    close: () => database.close(),
  }
}

/** SQLite gives its journal files the mode of the database, so it has to be right before the first of them is made. */
function makeFilePrivate(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}
