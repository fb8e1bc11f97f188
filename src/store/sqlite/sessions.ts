import type { Selectable } from 'kysely'
import {
  ENDED_STATUSES,
  hasEnded,
  IssueFixResult,
  isWaitingForPerson,
  SessionRecord,
} from '../../domain/session/session.ts'
import { IssueRecord } from '../../domain/session/store-records.ts'
import type { SessionFilter, SessionIssue, SessionLookup, SessionPatch, SessionTable } from '../sessions.ts'
import { selectIssues } from './issues.ts'
import { fromRow, toPatch } from './row-mapping.ts'
import type { StoreContext, Tables } from './tables.ts'

export function createSessionTable({ db, now }: StoreContext): SessionTable {
  return {
    discardUnstarted,
    update,
    reserveBranch,
    get,
    findByPrefix,
    list,
    hasActiveSession,
    listUnstarted,
    findLatestByKey,
    listIssues,
    setIssueOutcome,
  }

  async function discardUnstarted(sessionId: string): Promise<boolean> {
    return db.transaction().execute(async (tx) => {
      const session = tx.selectFrom('sessions').where('session_id', '=', sessionId).where('run_id', 'is', null)
      if (!(await session.select('session_id').executeTakeFirst())) return false
      for (const trace of ['events', 'messages'] as const) {
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

  async function reserveBranch(sessionId: string, repositoryId: string, branch: string): Promise<boolean> {
    return db.transaction().execute(async (tx) => {
      const other = selectLivingOnBranch(tx, repositoryId, branch).where('session_id', '!=', sessionId)
      if (await other.executeTakeFirst()) return false
      await tx
        .updateTable('sessions')
        .set({ branch_name: branch, updated_at: now() })
        .where('session_id', '=', sessionId)
        .execute()
      return true
    })
  }

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
    const row = await selectSessions(db).where('session_id', '=', sessionId).executeTakeFirst()
    return row && parseSessionRow(row)
  }

  async function findByPrefix(prefix: string): Promise<SessionLookup> {
    const whole = await get(prefix)
    if (whole) return { kind: 'one', session: whole }
    if (prefix === '') return { kind: 'none' }
    const rows = await selectSessions(db)
      .where((is) => is(is.fn<string>('substr', ['session_id', is.lit(1), is.lit(prefix.length)]), '=', prefix))
      .orderBy('session_id')
      .limit(10)
      .execute()
    const [first, ...more] = rows
    if (!first) return { kind: 'none' }
    if (more.length > 0) return { kind: 'several', ids: rows.map((row) => row.session_id) }
    return { kind: 'one', session: parseSessionRow(first) }
  }

  async function list({
    repository_id,
    key,
    kind,
    branch,
    running,
    status,
    before,
    limit = 50,
  }: SessionFilter = {}): Promise<SessionRecord[]> {
    let query = selectSessions(db)
    if (repository_id !== undefined) query = query.where('sessions.repository_id', '=', repository_id)
    if (key !== undefined) query = query.where('key', '=', key)
    if (kind !== undefined) query = query.where('kind', '=', kind)
    if (branch !== undefined) query = query.where('branch_name', '=', branch)
    if (status !== undefined) query = query.where('status', '=', status)
    if (before !== undefined) {
      query = query.where((is) =>
        is(is.refTuple('started_at', 'session_id'), '<', is.tuple(before.started_at, before.session_id)),
      )
    }
    if (running !== undefined) query = query.where('status', running ? 'not in' : 'in', ENDED_STATUSES)
    const rows = await query.orderBy('started_at', 'desc').orderBy('session_id', 'desc').limit(limit).execute()
    return rows.map(parseSessionRow)
  }

  async function hasActiveSession(): Promise<boolean> {
    const running = await selectSessions(db).where('ended_at', 'is', null).where('decision', 'is', null).execute()
    return running.map(parseSessionRow).some((session) => !isWaitingForPerson(session))
  }

  async function listUnstarted(): Promise<SessionRecord[]> {
    const rows = await selectSessions(db)
      .where('run_id', 'is', null)
      .where('ended_at', 'is', null)
      .orderBy('started_at')
      .execute()
    return rows.map(parseSessionRow)
  }

  async function findLatestByKey(key: string): Promise<SessionRecord | undefined> {
    const row = await selectSessions(db)
      .where('key', '=', key)
      .orderBy('started_at', 'desc')
      .orderBy('session_id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && parseSessionRow(row)
  }

  async function listIssues(sessionId: string): Promise<SessionIssue[]> {
    const rows = await selectIssues(db)
      .innerJoin('session_issues', 'session_issues.issue_id', 'issues.issue_id')
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

/** Two living sessions of a repository never have the same branch. Case is ignored. */
export function selectLivingOnBranch(db: StoreContext['db'], repositoryId: string, branch: string) {
  return selectSessions(db)
    .where('sessions.repository_id', '=', repositoryId)
    .where((is) => is(is.fn<string>('lower', ['branch_name']), '=', branch.toLowerCase()))
    .where('ended_at', 'is', null)
}

/** With the folder and the name of the repository. */
export function selectSessions(db: StoreContext['db']) {
  return db
    .selectFrom('sessions')
    .innerJoin('repositories', 'repositories.repository_id', 'sessions.repository_id')
    .selectAll('sessions')
    .select(['repositories.path as repository', 'repositories.name as repository_name'])
}

export function parseSessionRow(
  row: Selectable<Tables['sessions']> & Pick<SessionRecord, 'repository' | 'repository_name'>,
): SessionRecord {
  return fromRow(SessionRecord, row)
}
