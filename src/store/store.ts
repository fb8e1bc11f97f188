// The store: issues, sessions, events, calls, what people said, and which session needs which artifact. One file, shared by every
// process of a FIXWRIGHT_HOME. It survives the death of any process at any moment.
// Gap: when the machine itself loses power, the last transactions may be missing (synchronous = NORMAL); the file stays sound.
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type CallTable, callTable } from './agent-calls.ts'
import { type ArtifactTable, artifactIndex } from './artifact-index.ts'
import { type Begin, beginning } from './create-session.ts'
import { type EventLog, eventLog } from './event-log.ts'
import { type IssueTable, issueTable } from './issues.ts'
import { type SaidLog, saidLog } from './messages.ts'
import { type AnswerTable, answerTable } from './remembered-answers.ts'
import type { StoreBase, Tables } from './row-mapping.ts'
import { migrate } from './schema-migrations.ts'
import { type GrantTable, grantTable } from './scope-grants.ts'
import { type SessionTable, sessionTable } from './sessions.ts'
import { kyselyOver, whenFree } from './sqlite/dialect.ts'

export interface Store {
  readonly begin: Begin
  readonly issues: IssueTable
  readonly sessions: SessionTable
  readonly events: EventLog
  readonly calls: CallTable
  readonly artifacts: ArtifactTable
  readonly answers: AnswerTable
  readonly grants: GrantTable
  readonly said: SaidLog
  /** A number that changes whenever anyone, also another process, has written: two equal ones mean nothing is new. */
  version(): Promise<number>
  /** Waits for nothing: what is under way on this connection fails. */
  close(): void
}

export interface StoreOptions {
  readonly now?: () => Date
}

export async function openStore(file: string, { now = () => new Date() }: StoreOptions = {}): Promise<Store> {
  makePrivate(file)
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    await whenFree(() =>
      database.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on'),
    )
    await migrate(database)
  } catch (error) {
    database.close()
    throw error
  }
  const base: StoreBase = { db: kyselyOver<Tables>(database), now: () => now().toISOString() }
  const others = database.prepare('pragma data_version')
  const own = database.prepare('select total_changes() as changes')
  return {
    begin: beginning(base),
    issues: issueTable(base),
    sessions: sessionTable(base),
    events: eventLog(base),
    calls: callTable(base),
    artifacts: artifactIndex(base),
    answers: answerTable(base),
    grants: grantTable(base),
    said: saidLog(base),
    version: () => whenFree(() => Number(others.get()?.data_version) + Number(own.get()?.changes)),
    close: () => database.close(),
  }
}

/** SQLite gives its journal files the mode of the database, so it has to be right before the first of them is made. */
function makePrivate(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}
