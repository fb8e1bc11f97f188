// A status changes by compare-and-set along the domain's table of transitions.
import { isActionable, transitionProblem } from '../../domain/issue/issue.ts'
import { rankRelatedIssues } from '../../domain/issue/related-issues.ts'
import { FixStatus, hasEnded } from '../../domain/session/session.ts'
import { IssueRecord } from '../../domain/session/store-records.ts'
import type { IssueFilter, IssuePageFilter, IssueTable, StatusChange, StatusChangeOutcome } from '../issues.ts'
import { fromRow, toPatch } from './row-mapping.ts'
import type { StoreContext } from './tables.ts'

export function createIssueTable({ db, now }: StoreContext): IssueTable {
  return { get, list, listPage, findRelated, changeStatus }

  async function get(issueId: string): Promise<IssueRecord | undefined> {
    const row = await selectIssues(db).where('issue_id', '=', issueId).executeTakeFirst()
    return row && fromRow(IssueRecord, row)
  }

  async function list(filter: IssueFilter = {}): Promise<IssueRecord[]> {
    let query = selectIssues(db)
    if (filter.repository_id !== undefined) query = query.where('issues.repository_id', '=', filter.repository_id)
    if (filter.task_id !== undefined) query = query.where('task_id', '=', filter.task_id)
    if (filter.status !== undefined) query = query.where('status', 'in', [filter.status].flat())
    if (filter.severity !== undefined) query = query.where('severity', 'in', filter.severity)
    if (filter.opened_by !== undefined)
      query = query.where('issues.issue_id', 'in', selectOpenedBy(db, filter.opened_by))
    if (filter.issue_code !== undefined) query = query.where('issue_code', '=', filter.issue_code)
    const rows = await query.orderBy('updated_at', 'desc').orderBy('issue_code').execute()
    return rows.map((row) => fromRow(IssueRecord, row))
  }

  async function listPage({ severities, before, limit, ...filter }: IssuePageFilter): Promise<IssueRecord[]> {
    let query = selectIssues(db)
    if (filter.repository_id !== undefined) query = query.where('issues.repository_id', '=', filter.repository_id)
    if (filter.task_id !== undefined) query = query.where('task_id', '=', filter.task_id)
    if (filter.status !== undefined) query = query.where('status', '=', filter.status)
    if (severities !== undefined) query = query.where('severity', 'in', severities)
    if (filter.opened_by !== undefined)
      query = query.where('issues.issue_id', 'in', selectOpenedBy(db, filter.opened_by))
    if (before !== undefined) {
      query = query.where((is) =>
        is(is.refTuple('updated_at', 'issue_id'), '<', is.tuple(before.updated_at, before.issue_id)),
      )
    }
    const rows = await query.orderBy('updated_at', 'desc').orderBy('issue_id', 'desc').limit(limit).execute()
    return rows.map((row) => fromRow(IssueRecord, row))
  }

  async function findRelated(repositoryId: string, code: string, taskId?: string): Promise<IssueRecord[]> {
    const [issue] = await list({ repository_id: repositoryId, issue_code: code, task_id: taskId })
    if (!issue) return []
    const others = await list({ repository_id: repositoryId, task_id: issue.task_id })
    return rankRelatedIssues(
      issue,
      others.filter(({ status }) => isActionable(status)),
    )
  }

  async function changeStatus({
    issue_id,
    to: wanted,
    mover,
    from,
    note,
    session_id,
    fix,
    isAsSeen,
  }: StatusChange): Promise<StatusChangeOutcome> {
    return db.transaction().execute(async (tx): Promise<StatusChangeOutcome> => {
      const row = await tx
        .selectFrom('issues')
        .leftJoin('sessions', 'sessions.session_id', 'issues.session_id')
        .selectAll('issues')
        .select('sessions.status as session_status')
        .where('issue_id', '=', issue_id)
        .executeTakeFirst()
      if (!row) return { kind: 'refused', problem: `there is no issue ${issue_id}` }
      const { session_status, ...current } = row
      const to = wanted ?? current.status

      if (isAsSeen) {
        const now = await selectIssues(tx).where('issue_id', '=', issue_id).executeTakeFirstOrThrow()
        const issue = fromRow(IssueRecord, now)
        const problem = `${issue.issue_code} has changed since it was read`
        if (!isAsSeen(issue)) return { kind: 'refused', problem, current: issue }
      }
      const holder = current.status === 'in_progress' && current.session_id
      const held = holder && session_status !== null && !hasEnded(FixStatus.parse(session_status))
      if (held && holder !== session_id) {
        return { kind: 'refused', problem: `session ${holder} is working on ${current.issue_code}` }
      }
      const problem =
        from !== undefined && from !== current.status && to !== current.status
          ? `${current.issue_code} was expected to be ${from} and is ${current.status} by now`
          : transitionProblem({ from: current.status, to, mover, note })
      if (problem !== undefined) return { kind: 'refused', problem }

      await tx
        .updateTable('issues')
        .set({
          ...toPatch({ ...fix }),
          ...(note === undefined ? {} : { resolution_note: note }),
          ...(session_id === undefined ? {} : { session_id }),
          // An issue that is its own again, or done, is neither the duplicate nor the regression that it was.
          ...(to === 'duplicate' ? {} : { duplicate_of: null }),
          ...(to === 'open' || to === 'in_progress' ? {} : { regressed: null }),
          status: to,
          version: current.version + 1,
          updated_at: now(),
        })
        .where('issue_id', '=', issue_id)
        .execute()
      // What somebody decides is no longer the close of an import.
      if (to !== current.status) {
        await tx.updateTable('issue_origins').set({ closed_by: null }).where('issue_id', '=', issue_id).execute()
      }
      const moved = await selectIssues(tx).where('issue_id', '=', issue_id).executeTakeFirstOrThrow()
      return { kind: 'moved', issue: fromRow(IssueRecord, moved) }
    })
  }
}

/** With the folder of the repository. */
export function selectIssues(db: StoreContext['db']) {
  return db
    .selectFrom('issues')
    .innerJoin('repositories', 'repositories.repository_id', 'issues.repository_id')
    .selectAll('issues')
    .select('repositories.path as repository')
}

function selectOpenedBy(db: StoreContext['db'], importId: string) {
  return db
    .selectFrom('import_effects')
    .select('issue_id')
    .where('import_id', '=', importId)
    .where('kind', 'in', ['created', 'reopened'])
}
