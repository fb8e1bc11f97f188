// Opens the store: one SQLite file that all processes of a home share.
// Gap: if the machine loses power, the last transactions may be missing (synchronous = NORMAL); the file stays sound.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createAuditLog, createRequestKeyTable, createTokenTable } from './sqlite/access.ts'
import { createAgentCallTable } from './sqlite/agent-calls.ts'
import { createArtifactIndex } from './sqlite/artifact-index.ts'
import { createFindingAdopter, createSessionCreator } from './sqlite/create-session.ts'
import { createKysely, retryWhileLocked } from './sqlite/dialect.ts'
import { createEventLog } from './sqlite/event-log.ts'
import { createImportTable } from './sqlite/imports/import-table.ts'
import { createIssueTable } from './sqlite/issues.ts'
import { migrateSchema } from './sqlite/migrations/schema-migrations.ts'
import { createAnswerTable, createGrantTable, createMessageLog } from './sqlite/people.ts'
import { createRepositoryTable } from './sqlite/repositories.ts'
import { createSessionTable } from './sqlite/sessions.ts'
import { createStatisticsReader } from './sqlite/statistics.ts'
import type { StoreContext, Tables } from './sqlite/tables.ts'
import { createChangeWatch } from './sqlite/watch-changes.ts'
import { createWebhookTable } from './sqlite/webhooks.ts'
import type { Store } from './store.ts'

const SQLITE_CORRUPT = 11

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
  return createStore(database, now, file)
}

/** Opens a copy in memory: nothing that is written reaches the file, which need not exist. */
export async function openStoreCopy(file: string, { now = () => new Date() }: StoreOptions = {}): Promise<Store> {
  const database = await retryWhileLocked(() => copyIntoMemory(file))
  database.exec('pragma foreign_keys = on')
  await migrateSchema(database)
  return createStore(database, now)
}

function createStore(database: DatabaseSync, now: () => Date, file?: string): Store {
  const context: StoreContext = { db: createKysely<Tables>(database), now: () => now().toISOString() }
  return {
    createSession: createSessionCreator(context),
    adoptFindings: createFindingAdopter(context),
    repositories: createRepositoryTable(context),
    sessions: createSessionTable(context),
    issues: createIssueTable(context),
    imports: createImportTable(context),
    events: createEventLog(context),
    agentCalls: createAgentCallTable(context),
    artifacts: createArtifactIndex(context),
    answers: createAnswerTable(context),
    grants: createGrantTable(context),
    messages: createMessageLog(context),
    tokens: createTokenTable(context),
    audit: createAuditLog(context),
    requestKeys: createRequestKeyTable(context),
    webhooks: createWebhookTable(context),
    statistics: createStatisticsReader(database),
    watch: createChangeWatch(database, file),
    check: () => checkIntegrity(database),
    close: async () => database.close(),
  }
}

/** Damage is thrown as SQLite throws what it finds while reading. */
function checkIntegrity(database: DatabaseSync): void {
  const found = database.prepare('pragma quick_check(1)').get()?.quick_check
  if (found !== 'ok') throw Object.assign(new Error(`${found}`), { errcode: SQLITE_CORRUPT, errstr: `${found}` })
}

/** SQLite gives its journal files the mode of the database, so the mode must be right before SQLite creates the first one. */
function makeFilePrivate(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

/** These hold the bulk of a store, and nothing that bears on a new session. */
const LEFT_EMPTY = ['events', 'calls']

/** The database as it is at one moment. The file is only read; if it is missing, the copy is empty. */
function copyIntoMemory(file: string): DatabaseSync {
  const copy = new DatabaseSync(':memory:', { timeout: 0, enableForeignKeyConstraints: false })
  if (!existsSync(file)) return copy
  try {
    copy.prepare('attach database ? as original').run(file)
    copy.exec('begin')
    const version = copy.prepare('pragma original.user_version').get()?.user_version
    const schema = "select type, name, sql from original.sqlite_schema where name not like 'sqlite\\_%' escape '\\'"
    for (const { type, name, sql } of copy.prepare(schema).all()) {
      copy.exec(`${sql}`)
      const isCopied = type === 'table' && !LEFT_EMPTY.includes(`${name}`)
      if (isCopied) copy.exec(`insert into main."${name}" select * from original."${name}"`)
    }
    copy.exec(`pragma user_version = ${version}; commit; detach database original`)
    return copy
  } catch (error) {
    copy.close()
    throw error
  }
}
