// Which session needs which artifact. Content is shared (the same prompt twice is one file), so it may go only when no
// session names it any more; a session's own claims end some days after the session's end.
import { SessionArtifact } from '../domain/session/records.ts'
import type { StoreContext } from './row-mapping.ts'
import { fromRow, toRow } from './row-mapping.ts'

export type ArtifactTable = ReturnType<typeof createArtifactTable>

export function createArtifactTable({ db, now }: StoreContext) {
  return { link, listForSession, findLatest, releaseEndedBefore, listReferencedRefs }

  /** Tying another ref to the same name replaces it: an activity that runs twice leaves the later content. */
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

  async function listForSession(
    sessionId: string,
    filter: Partial<Pick<SessionArtifact, 'kind' | 'name' | 'issue_code'>> = {},
  ): Promise<SessionArtifact[]> {
    let query = db.selectFrom('session_artifacts').selectAll().where('session_id', '=', sessionId)
    if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind)
    if (filter.name !== undefined) query = query.where('name', '=', filter.name)
    if (filter.issue_code !== undefined) query = query.where('issue_code', '=', filter.issue_code)
    const rows = await query.orderBy('created_at').orderBy('kind').orderBy('name').execute()
    return rows.map((row) => fromRow(SessionArtifact, row))
  }

  /** The newest one of that name, whichever session made it. */
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

  /** Ends the claims of sessions that ended before this time. A session that has not ended keeps its own. */
  async function releaseEndedBefore(time: string): Promise<void> {
    await db
      .deleteFrom('session_artifacts')
      .where('session_id', 'in', (from) =>
        from.selectFrom('sessions').select('session_id').where('ended_at', '<', time),
      )
      .execute()
  }

  async function listReferencedRefs(): Promise<ReadonlySet<string>> {
    const rows = await db.selectFrom('session_artifacts').select('ref').distinct().execute()
    return new Set(rows.map((row) => row.ref))
  }
}
