// Sessions and what they were asked to fix. Creating one twice leaves one, and what has ended is not written again:
// a late activity of a session that was closed by somebody else changes nothing.
import type { Selectable } from 'kysely'
import { IssueRecord, type SessionArtifact } from '../domain/session/records.ts'
import {
  ENDED_STATUSES,
  hasEnded,
  IssueFixResult,
  type OpenDecision,
  type SessionPlan,
  SessionRecord,
  type SessionWaiting,
} from '../domain/session/session.ts'
import type { StoreContext } from './row-mapping.ts'
import { fromRow, type Tables, toPatch, toRow } from './row-mapping.ts'

export type NewSession = Omit<SessionRecord, 'started_at' | 'updated_at' | 'ended_at'> & {
  /** In the order in which they are to be fixed. */
  readonly issue_ids: readonly string[]
  /** Artifacts that it needs from the beginning. */
  readonly artifacts?: readonly Pick<SessionArtifact, 'ref' | 'kind' | 'name'>[]
}

export type SessionPatch = Partial<
  Pick<
    SessionRecord,
    | 'workflow_id'
    | 'run_id'
    | 'branch_name'
    | 'base_commit'
    | 'status'
    | 'issues_fixed'
    | 'issues_failed'
    | 'issues_skipped'
    | 'result'
    | 'ending'
    | 'cost_usd'
  >
> & {
  readonly waiting?: SessionWaiting | null
  readonly decision?: OpenDecision | null
  readonly plan?: SessionPlan | null
}

export interface SessionIssue {
  readonly position: number
  readonly issue: IssueRecord
  readonly outcome?: IssueFixResult
}

export type SessionLookup =
  | { readonly kind: 'one'; readonly session: SessionRecord }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly ids: readonly string[] }

export interface SessionFilter {
  readonly repository?: string | undefined
  /** Of the same work. */
  readonly key?: string | undefined
  readonly branch?: string | undefined
  readonly running?: boolean | undefined
  readonly limit?: number | undefined
}

export type SessionTable = ReturnType<typeof createSessionTable>

export function createSessionTable({ db, now }: StoreContext) {
  return {
    create,
    discardUnstarted,
    update,
    reserveBranch,
    get,
    findByPrefix,
    list,
    hasActiveSession,
    findLatestByKey,
    listIssues,
    setIssueOutcome,
  }

  async function create(session: NewSession): Promise<SessionRecord> {
    return db.transaction().execute((tx) => insertSession(tx, now(), session))
  }

  /** Forgets one that never started: its work turned out to be another session's, or its starter died. Whether it did. */
  async function discardUnstarted(sessionId: string): Promise<boolean> {
    return db.transaction().execute(async (tx) => {
      const session = tx.selectFrom('sessions').where('session_id', '=', sessionId).where('run_id', 'is', null)
      if (!(await session.select('session_id').executeTakeFirst())) return false
      for (const trace of ['events', 'said'] as const) {
        const found = tx.selectFrom(trace).where('session_id', '=', sessionId).select('seq')
        if (await found.executeTakeFirst()) return false
      }
      for (const own of ['session_issues', 'session_artifacts'] as const) {
        await tx.deleteFrom(own).where('session_id', '=', sessionId).execute()
      }
      await tx.deleteFrom('sessions').where('session_id', '=', sessionId).execute()
      return true
    })
  }

  /** Whether the branch is this session's now: two living sessions of a repository never have the same. */
  async function reserveBranch(sessionId: string, repository: string, branch: string): Promise<boolean> {
    return db.transaction().execute(async (tx) => {
      const other = tx
        .selectFrom('sessions')
        .select('session_id')
        .where('repository', '=', repository)
        .where((is) => is(is.fn<string>('lower', ['branch_name']), '=', branch.toLowerCase()))
        .where('ended_at', 'is', null)
        .where('session_id', '!=', sessionId)
      if (await other.executeTakeFirst()) return false
      await tx
        .updateTable('sessions')
        .set({ branch_name: branch, updated_at: now() })
        .where('session_id', '=', sessionId)
        .execute()
      return true
    })
  }

  /** Whether it was written. A status that ends the session stamps its end. */
  async function update(sessionId: string, patch: SessionPatch): Promise<boolean> {
    const time = now()
    const ends = patch.status !== undefined && hasEnded(patch.status)
    const result = await db
      .updateTable('sessions')
      .set({ ...toPatch(patch), ...(ends ? { ended_at: time, waiting: null, decision: null } : {}), updated_at: time })
      .where('session_id', '=', sessionId)
      .where('ended_at', 'is', null)
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  async function get(sessionId: string): Promise<SessionRecord | undefined> {
    const row = await db.selectFrom('sessions').selectAll().where('session_id', '=', sessionId).executeTakeFirst()
    return row && parseSessionRow(row)
  }

  /** By its whole id or the beginning of it. */
  async function findByPrefix(prefix: string): Promise<SessionLookup> {
    const whole = await get(prefix)
    if (whole) return { kind: 'one', session: whole }
    if (prefix === '') return { kind: 'none' }
    const rows = await db
      .selectFrom('sessions')
      .selectAll()
      .where((is) => is(is.fn<string>('substr', ['session_id', is.lit(1), is.lit(prefix.length)]), '=', prefix))
      .orderBy('session_id')
      .limit(10)
      .execute()
    const [first, ...more] = rows
    if (!first) return { kind: 'none' }
    if (more.length > 0) return { kind: 'several', ids: rows.map((row) => row.session_id) }
    return { kind: 'one', session: parseSessionRow(first) }
  }

  /** The newest first. */
  async function list({ repository, key, branch, running, limit = 50 }: SessionFilter = {}): Promise<SessionRecord[]> {
    let query = db.selectFrom('sessions').selectAll()
    if (repository !== undefined) query = query.where('repository', '=', repository)
    if (key !== undefined) query = query.where('key', '=', key)
    if (branch !== undefined) query = query.where('branch_name', '=', branch)
    if (running !== undefined) query = query.where('status', running ? 'not in' : 'in', ENDED_STATUSES)
    const rows = await query.orderBy('started_at', 'desc').orderBy('session_id', 'desc').limit(limit).execute()
    return rows.map(parseSessionRow)
  }

  /** One that waits for a person is not; one without a run is as long as its start may still be on its way. */
  async function hasActiveSession(startedAfter: Date): Promise<boolean> {
    const found = await db
      .selectFrom('sessions')
      .select('session_id')
      .where('ended_at', 'is', null)
      .where('decision', 'is', null)
      .where((is) => is.or([is('run_id', 'is not', null), is('started_at', '>', startedAfter.toISOString())]))
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  }

  async function findLatestByKey(key: string): Promise<SessionRecord | undefined> {
    const row = await db
      .selectFrom('sessions')
      .selectAll()
      .where('key', '=', key)
      .orderBy('started_at', 'desc')
      .orderBy('session_id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && parseSessionRow(row)
  }

  async function listIssues(sessionId: string): Promise<SessionIssue[]> {
    const rows = await db
      .selectFrom('session_issues')
      .innerJoin('issues', 'issues.issue_id', 'session_issues.issue_id')
      .selectAll('issues')
      .select(['session_issues.position', 'session_issues.outcome'])
      .where('session_issues.session_id', '=', sessionId)
      .orderBy('session_issues.position')
      .execute()
    return rows.map(({ position, outcome, ...issue }) => ({
      position,
      issue: fromRow(IssueRecord, issue),
      ...(outcome === null ? {} : { outcome: IssueFixResult.parse(JSON.parse(outcome)) }),
    }))
  }

  async function setIssueOutcome(sessionId: string, outcome: IssueFixResult): Promise<void> {
    const result = await db
      .updateTable('session_issues')
      .set({ outcome: JSON.stringify(IssueFixResult.parse(outcome)) })
      .where('session_id', '=', sessionId)
      .where('issue_id', '=', outcome.issue_id)
      .executeTakeFirst()
    if (result.numUpdatedRows === 0n) {
      throw new RangeError(
        `session ${sessionId} was not asked to fix issue ${outcome.issue_id} (${outcome.issue_code})`,
      )
    }
  }
}

export async function insertSession(
  tx: StoreContext['db'],
  time: string,
  { issue_ids, artifacts = [], ...session }: NewSession,
): Promise<SessionRecord> {
  await tx
    .insertInto('sessions')
    .values({ ...toRow(session), started_at: time, updated_at: time })
    .onConflict((conflict) => conflict.column('session_id').doNothing())
    .execute()
  for (const [position, issue_id] of issue_ids.entries()) {
    await tx
      .insertInto('session_issues')
      .values({ session_id: session.session_id, issue_id, position })
      .onConflict((conflict) => conflict.columns(['session_id', 'issue_id']).doNothing())
      .execute()
  }
  for (const artifact of artifacts) {
    await tx
      .insertInto('session_artifacts')
      .values({ ...toRow(artifact), session_id: session.session_id, created_at: time })
      .onConflict((conflict) => conflict.columns(['session_id', 'kind', 'name']).doNothing())
      .execute()
  }
  const row = await tx
    .selectFrom('sessions')
    .selectAll()
    .where('session_id', '=', session.session_id)
    .executeTakeFirstOrThrow()
  return parseSessionRow(row)
}

export function parseSessionRow(row: Selectable<Tables['sessions']>): SessionRecord {
  return fromRow(SessionRecord, row)
}
