// How a session comes into the store: in one step with the words of its issues, and only where no other session is at the same work
// or on the same branch. So of many starts at once one begins, and none of the others leaves a trace.
// Gap: a session of another FIXWRIGHT_HOME is not seen here; that the work is not done twice is for its workflow's id to see to.
import type { Finding } from '../domain/issue/parse-findings.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import { computeIssueId, upsertFindings } from './issues.ts'
import type { StoreContext } from './row-mapping.ts'
import { insertSession, type NewSession, parseSessionRow } from './sessions.ts'

export type SessionCreation =
  | { readonly kind: 'begun'; readonly session: SessionRecord }
  /** Another that lives: at the same work, or on the same branch. Nothing was written. */
  | { readonly kind: 'same_work' | 'same_branch'; readonly session: SessionRecord }

export type CreateSession = (session: NewSession, findings: readonly Finding[]) => Promise<SessionCreation>

export function createSessionCreator({ db, now }: StoreContext): CreateSession {
  return (session, findings) =>
    db.transaction().execute(async (tx): Promise<SessionCreation> => {
      const { key, repository, task_id: taskId, branch_name: branch } = session
      const living = tx.selectFrom('sessions').selectAll().where('ended_at', 'is', null)
      const same = await living.where('key', '=', key).orderBy('started_at', 'desc').limit(1).executeTakeFirst()
      if (same) return { kind: 'same_work', session: parseSessionRow(same) }
      const onBranch =
        branch &&
        (await living
          .where('repository', '=', repository)
          .where((is) => is(is.fn<string>('lower', ['branch_name']), '=', branch.toLowerCase()))
          .limit(1)
          .executeTakeFirst())
      if (onBranch) return { kind: 'same_branch', session: parseSessionRow(onBranch) }

      const held = await listIssuesHeldByOthers(tx, repository, taskId)
      const free = findings.filter(({ issue_code }) => !held.has(computeIssueId(repository, taskId, issue_code)))
      await upsertFindings(tx, now(), { repository, taskId, findings: free })
      return { kind: 'begun', session: await insertSession(tx, now(), session) }
    })
}

/** Issues that another session works on: their words are not changed under it, and the new session will leave them out. */
async function listIssuesHeldByOthers(
  tx: StoreContext['db'],
  repository: string,
  taskId: string,
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('issues')
    .innerJoin('sessions', 'sessions.session_id', 'issues.session_id')
    .select('issues.issue_id')
    .where('issues.repository', '=', repository)
    .where('issues.task_id', '=', taskId)
    .where('issues.status', '=', 'in_progress')
    .where('sessions.ended_at', 'is', null)
    .execute()
  return new Set(rows.map(({ issue_id }) => issue_id))
}
