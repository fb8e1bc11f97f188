import { AccessToken } from '../../../domain/access/access-token.ts'
import type { TokenTable } from '../../access.ts'
import { fromRow, toRow } from '../row-mapping.ts'
import type { StoreContext } from '../tables.ts'

export function createTokenTable({ db }: StoreContext): TokenTable {
  return { add, get, list, revoke, noteUse }

  async function add(token: AccessToken): Promise<void> {
    await db.insertInto('access_tokens').values(toRow(token)).execute()
  }

  async function get(tokenId: string): Promise<AccessToken | undefined> {
    const row = await db.selectFrom('access_tokens').selectAll().where('token_id', '=', tokenId).executeTakeFirst()
    return row && fromRow(AccessToken, row)
  }

  async function list(): Promise<AccessToken[]> {
    const rows = await db
      .selectFrom('access_tokens')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('token_id')
      .execute()
    return rows.map((row) => fromRow(AccessToken, row))
  }

  async function revoke(tokenId: string, at: string): Promise<boolean> {
    await db
      .updateTable('access_tokens')
      .set({ revoked_at: at })
      .where('token_id', '=', tokenId)
      .where('revoked_at', 'is', null)
      .execute()
    return (await get(tokenId)) !== undefined
  }

  async function noteUse(tokenId: string, at: string): Promise<void> {
    await db.updateTable('access_tokens').set({ last_used_at: at }).where('token_id', '=', tokenId).execute()
  }
}
