import { AuditRecord } from '../../../domain/access/access-token.ts'
import type { AuditLog, NumberedAuditRecord } from '../../access.ts'
import { fromRow, toRow } from '../row-mapping.ts'
import type { StoreContext } from '../tables.ts'

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
