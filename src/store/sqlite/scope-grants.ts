import { Grant } from '../../domain/session/store-records.ts'
import type { GrantTable } from '../people.ts'
import { fromRow, toRow } from './row-mapping.ts'
import type { StoreContext } from './tables.ts'

export function createGrantTable({ db }: StoreContext): GrantTable {
  return { add, listAllowedPaths, listForRepository, remove }

  async function add({ repository_id, session_id, path, granted_by, granted_at }: Grant): Promise<void> {
    await db
      .insertInto('grants')
      .values(toRow({ repository_id, session_id, path, granted_by, granted_at }))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  async function listAllowedPaths(repositoryId: string, sessionId: string): Promise<string[]> {
    const rows = await db
      .selectFrom('grants')
      .select('path')
      .distinct()
      .where('repository_id', '=', repositoryId)
      .where((grant) => grant.or([grant('session_id', 'is', null), grant('session_id', '=', sessionId)]))
      .orderBy('path')
      .execute()
    return rows.map(({ path }) => path)
  }

  async function listForRepository(repositoryId: string): Promise<Grant[]> {
    const rows = await db
      .selectFrom('grants')
      .selectAll()
      .where('repository_id', '=', repositoryId)
      .where('session_id', 'is', null)
      .orderBy('path')
      .execute()
    return rows.map((row) => fromRow(Grant, row))
  }

  async function remove(repositoryId: string, path: string): Promise<boolean> {
    const result = await db
      .deleteFrom('grants')
      .where('repository_id', '=', repositoryId)
      .where('path', '=', path)
      .where('session_id', 'is', null)
      .executeTakeFirst()
    return result.numDeletedRows > 0n
  }
}
