import { AccessToken, AuditRecord } from '../../domain/access/access-token.ts'
import { RequestKey } from '../../domain/access/request-key.ts'
import type { AuditLog, NumberedAuditRecord, RequestKeyTable, TokenTable } from '../access.ts'
import { fromRow, toRow } from './row-mapping.ts'
import type { StoreContext } from './tables.ts'

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

export function createAuditLog({ db }: StoreContext): AuditLog {
  return { add, list }

  async function add({ request_id, at, token_id, by, address, method, path, status }: AuditRecord): Promise<void> {
    const record = { request_id, at, token_id, by, address, method, path, status }
    await db.insertInto('audit_records').values(toRow(record)).execute()
  }

  async function list({
    limit,
    before = Number.MAX_SAFE_INTEGER,
  }: Parameters<AuditLog['list']>[0]): Promise<readonly NumberedAuditRecord[]> {
    const rows = await db
      .selectFrom('audit_records')
      .selectAll()
      .where('number', '<', before)
      .orderBy('number', 'desc')
      .limit(limit)
      .execute()
    return rows.map(({ number, ...row }) => ({ number: Number(number), ...fromRow(AuditRecord, row) }))
  }
}

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
