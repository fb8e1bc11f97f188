import { SessionArtifact } from '../../domain/session/store-records.ts'
import type { ArtifactFilter, ArtifactIndex } from '../store.ts'
import { fromRow, toRow } from './row-mapping.ts'
import type { StoreContext } from './tables.ts'

export function createArtifactIndex({ db, now }: StoreContext): ArtifactIndex {
  return { link, listForSession, findLatest, releaseEndedBefore, listReferencedRefs, listRefsInUse }

  async function link(artifact: Omit<SessionArtifact, 'created_at'>): Promise<void> {
    const row = { ...toRow(artifact), created_at: now() }
    await db
      .insertInto('session_artifacts')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['session_id', 'kind', 'name']).doUpdateSet({ ref: row.ref, created_at: row.created_at }),
      )
      .execute()
  }

  async function listForSession(sessionId: string, filter: ArtifactFilter = {}): Promise<SessionArtifact[]> {
    let query = db.selectFrom('session_artifacts').selectAll().where('session_id', '=', sessionId)
    if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind)
    if (filter.name !== undefined) query = query.where('name', '=', filter.name)
    if (filter.issue_code !== undefined) query = query.where('issue_code', '=', filter.issue_code)
    const rows = await query.orderBy('created_at').orderBy('kind').orderBy('name').execute()
    return rows.map((row) => fromRow(SessionArtifact, row))
  }

  async function findLatest(kind: SessionArtifact['kind'], name: string): Promise<SessionArtifact | undefined> {
    const row = await db
      .selectFrom('session_artifacts')
      .selectAll()
      .where('kind', '=', kind)
      .where('name', '=', name)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && fromRow(SessionArtifact, row)
  }

  async function releaseEndedBefore(time: string): Promise<void> {
    await db
      .deleteFrom('session_artifacts')
      .where('session_id', 'in', (from) =>
        from.selectFrom('sessions').select('session_id').where('ended_at', '<', time),
      )
      // What is posted later is linked later.
      .where('created_at', '<', time)
      .execute()
  }

  async function listReferencedRefs(): Promise<ReadonlySet<string>> {
    const linked = await db.selectFrom('session_artifacts').select('ref').distinct().execute()
    const reports = await db.selectFrom('imports').select('report_ref as ref').execute()
    return new Set([...linked, ...reports].map(({ ref }) => ref))
  }

  async function listRefsInUse(): Promise<ReadonlySet<string>> {
    const linked = await db
      .selectFrom('session_artifacts')
      .select('ref')
      .distinct()
      .where('session_id', 'in', (from) =>
        from.selectFrom('sessions').select('session_id').where('ended_at', 'is', null),
      )
      .execute()
    const reports = await db.selectFrom('imports').select('report_ref as ref').execute()
    return new Set([...linked, ...reports].map(({ ref }) => ref))
  }
}
