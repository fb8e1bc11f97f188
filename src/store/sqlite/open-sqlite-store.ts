// Gap: if the machine loses power, the last transactions may be missing (synchronous = NORMAL); the file stays sound.
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '../store.ts'
import { createAgentCallTable } from './agent-calls.ts'
import { createArtifactIndex } from './artifact-index.ts'
import { createSessionCreator } from './create-session.ts'
import { createKysely, retryWhileLocked } from './dialect.ts'
import { createEventLog } from './event-log.ts'
import { createIssueTable } from './issues.ts'
import { createMessageLog } from './messages.ts'
import { createAnswerTable } from './remembered-answers.ts'
import { migrateSchema } from './schema-migrations.ts'
import { createGrantTable } from './scope-grants.ts'
import { createSessionTable } from './sessions.ts'
import type { StoreContext, Tables } from './tables.ts'
import { createChangeWatch } from './watch-changes.ts'

export async function openSqliteStore(file: string, now: () => Date): Promise<Store> {
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
  const context: StoreContext = { db: createKysely<Tables>(database), now: () => now().toISOString() }
  return {
    createSession: createSessionCreator(context),
    sessions: createSessionTable(context),
    issues: createIssueTable(context),
    events: createEventLog(context),
    agentCalls: createAgentCallTable(context),
    artifacts: createArtifactIndex(context),
    answers: createAnswerTable(context),
    grants: createGrantTable(context),
    messages: createMessageLog(context),
    watch: createChangeWatch(database),
    close: async () => database.close(),
  }
}

/** SQLite gives its journal files the mode of the database, so the mode must be right before SQLite creates the first one. */
function makeFilePrivate(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}
