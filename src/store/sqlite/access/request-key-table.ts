import { RequestKey } from '../../../domain/access/request-key.ts'
import type { RequestKeyTable } from '../../access.ts'
import { fromRow, toRow } from '../row-mapping.ts'
import type { StoreContext } from '../tables.ts'

export const REQUEST_KEY_TABLE = `
  create table request_keys (
    key_hash text primary key,
    fingerprint text not null,
    claim text not null,
    kept_until text not null,
    answer text
  );
  create index request_keys_by_end on request_keys (kept_until);
`

export function createRequestKeyTable({ db, now }: StoreContext): RequestKeyTable {
  return { claim, keep, release }

  async function claim(key: RequestKey): Promise<RequestKey> {
    await db.deleteFrom('request_keys').where('kept_until', '<', now()).execute()
    await db
      .insertInto('request_keys')
      .values(toRow({ answer: undefined, ...key }))
      .onConflict((conflict) => conflict.column('key_hash').doNothing())
      .execute()
    const row = await db.selectFrom('request_keys').selectAll().where('key_hash', '=', key.key_hash).executeTakeFirst()
    // Whoever had it has let it go just now.
    return row === undefined ? await claim(key) : fromRow(RequestKey, row)
  }

  async function keep({ key_hash, claim, kept_until, answer }: RequestKey): Promise<void> {
    await db
      .updateTable('request_keys')
      .set({ kept_until, ...(answer === undefined ? {} : { answer }) })
      .where('key_hash', '=', key_hash)
      .where('claim', '=', claim)
      .execute()
  }

  async function release({ key_hash, claim }: Pick<RequestKey, 'key_hash' | 'claim'>): Promise<void> {
    await db.deleteFrom('request_keys').where('key_hash', '=', key_hash).where('claim', '=', claim).execute()
  }
}
