// Paths outside of the scope that a person allowed, for one session or for every later one of a repository.
// They are kept as they were given and never widened: what a path covers is the domain's to say.
import { Grant } from '../domain/session/records.ts'
import type { StoreContext } from './row-mapping.ts'
import { fromRow, toRow } from './row-mapping.ts'

export type GrantTable = ReturnType<typeof createGrantTable>

export function createGrantTable({ db }: StoreContext) {
  return { add, listAllowedPaths, listForRepository, remove }

  /** The same path again leaves the first: it was allowed then, by them. */
  async function add({ repository, session_id, path, granted_by, granted_at }: Grant): Promise<void> {
    await db
      .insertInto('grants')
      .values(toRow({ repository, session_id, path, granted_by, granted_at }))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  /** What this session may change besides its scope: its own paths and its repository's. */
  async function listAllowedPaths(repository: string, sessionId: string): Promise<string[]> {
    const rows = await db
      .selectFrom('grants')
      .select('path')
      .distinct()
      .where('repository', '=', repository)
      .where((grant) => grant.or([grant('session_id', 'is', null), grant('session_id', '=', sessionId)]))
      .orderBy('path')
      .execute()
    return rows.map(({ path }) => path)
  }

  /** Those that hold for every session of the repository. */
  async function listForRepository(repository: string): Promise<Grant[]> {
    const rows = await db
      .selectFrom('grants')
      .selectAll()
      .where('repository', '=', repository)
      .where('session_id', 'is', null)
      .orderBy('path')
      .execute()
    return rows.map((row) => fromRow(Grant, row))
  }

  /** Whether the repository had it. What was allowed for single sessions ends with them. */
  async function remove(repository: string, path: string): Promise<boolean> {
    const result = await db
      .deleteFrom('grants')
      .where('repository', '=', repository)
      .where('path', '=', path)
      .where('session_id', 'is', null)
      .executeTakeFirst()
    return result.numDeletedRows > 0n
  }
}
