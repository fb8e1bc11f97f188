// Kysely's driver for `node:sqlite`, the only file that uses Kysely at run time. Transactions begin IMMEDIATE, so a reader never becomes
// a writer half-way. Statements are synchronous, so a transaction ends within a turn of the event loop.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely as Builder, CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import { loadKysely } from './load-kysely.ts'

const { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } = await loadKysely()

// Transactions take well under a millisecond, so where nothing is committed for this long, another process must be stuck or stopped.
const BUSY_DEADLINE_MS = 15_000
/** Many processes that start at once on a busy machine write all the time, and one of them may have no luck for long. */
const UNLUCKY_DEADLINE_MS = 120_000
const SQLITE_BUSY = 5
/** A list of values makes another statement for each of its lengths, so there is no end of them. */
const MAX_KEPT_STATEMENTS = 200

export function createKysely<Tables>(database: DatabaseSync): Builder<Tables> {
  const dialect: Dialect = {
    createDriver: () => sqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
  return new Kysely<Tables>({ dialect })
}

/**
 * Retries `run` while another process holds the lock, after short random pauses. SQLite itself does not wait (its timeout is 0), so the
 * event loop is never blocked. `run` must be safe to repeat after a refusal. `readVersion` returns something else after each commit of
 * another process.
 */
export async function retryWhileLocked<T>(run: () => T, readVersion: () => unknown = () => undefined): Promise<T> {
  const started = Date.now()
  let deadline = started + BUSY_DEADLINE_MS
  let version: unknown
  for (let pause = 2; ; pause = Math.min(pause * 2, 20)) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error)) throw error
      version ??= readUnlessBusy(readVersion)
      if (Date.now() > deadline) {
        const now = readUnlessBusy(readVersion)
        if (now === version || Date.now() > started + UNLUCKY_DEADLINE_MS) throw error
        version = now
        deadline = Date.now() + BUSY_DEADLINE_MS
      }
      await delay(Math.random() * pause)
    }
  }
}

function isBusy(error: unknown): boolean {
  // The low byte is the primary code: BUSY_SNAPSHOT and BUSY_RECOVERY are kinds of it.
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' && (code & 0xff) === SQLITE_BUSY
}

/** Whoever locks the store may lock its version, too. */
function readUnlessBusy(readVersion: () => unknown): unknown {
  try {
    return readVersion()
  } catch (error) {
    if (!isBusy(error)) throw error
    return undefined
  }
}

function sqliteDriver(database: DatabaseSync): Driver {
  const version = database.prepare('pragma data_version')
  const readVersion = () => version.get()?.data_version
  const prepare = keepStatements(database)
  const connection: DatabaseConnection = {
    executeQuery: (query) => retryWhileLocked(() => runQuery(prepare(query.sql), query), readVersion),
    async *streamQuery() {
      yield* []
      throw new Error('The store reads whole results; it has no streaming queries')
    },
  }
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: () => retryWhileLocked(() => database.exec('begin immediate'), readVersion),
    commitTransaction: async () => database.exec('commit'),
    rollbackTransaction: async () => database.exec('rollback'),
    releaseConnection: async () => undefined,
    destroy: async () => database.close(),
  }
}

interface KeptStatement {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

/** A session asks for the same few things a thousand times, and preparing a statement takes longer than running it. */
function keepStatements(database: DatabaseSync): (sql: string) => KeptStatement {
  const kept = new Map<string, KeptStatement>()
  return (sql) => {
    const known = kept.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    const fresh = { statement, returnsRows: statement.columns().length > 0 }
    if (kept.size >= MAX_KEPT_STATEMENTS) kept.clear()
    kept.set(sql, fresh)
    return fresh
  }
}

function runQuery<Row>({ statement, returnsRows }: KeptStatement, query: CompiledQuery): QueryResult<Row> {
  const parameters = query.parameters as SQLInputValue[]
  if (returnsRows) return { rows: statement.all(...parameters) as Row[] }
  const { changes } = statement.run(...parameters)
  return { rows: [], numAffectedRows: BigInt(changes) }
}
