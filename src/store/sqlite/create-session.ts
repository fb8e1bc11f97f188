// Repository, task and code identify an issue, so one that comes back keeps its status and gets the new text.
import { Finding } from '../../domain/issue/parse-findings.ts'
import type { RepositoryRecord } from '../../domain/repository/repository.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { computeIssueId } from '../issues.ts'
import type { NewSession, SessionCreation } from '../sessions.ts'
import type { Store } from '../store.ts'
import { claimRepository } from './repositories.ts'
import { toRow } from './row-mapping.ts'
import { parseSessionRow, selectLivingOnBranch, selectSessions } from './sessions.ts'
import type { StoreContext } from './tables.ts'

export function createSessionCreator({ db, now }: StoreContext): Store['createSession'] {
  return (session, findings, since) =>
    db.transaction().execute(async (tx): Promise<SessionCreation> => {
      const { key, repository_id, repository: path, task_id: taskId, branch_name: branch, base_commit } = session
      const ofThisWork = selectSessions(tx).where('key', '=', key).orderBy('started_at', 'desc').limit(1)
      const same = await ofThisWork.where('ended_at', 'is', null).executeTakeFirst()
      if (same) return { kind: 'same_work', session: parseSessionRow(same) }
      const ended = since && (await ofThisWork.where('ended_at', '>=', since.toISOString()).executeTakeFirst())
      if (ended) return { kind: 'outdated', session: parseSessionRow(ended) }
      const onBranch = branch && (await selectLivingOnBranch(tx, repository_id, branch).limit(1).executeTakeFirst())
      if (onBranch) return { kind: 'same_branch', session: parseSessionRow(onBranch) }

      const time = now()
      const repository = await claimRepository(tx, time, { repository_id, path, known_commit: base_commit })
      if (!repository) return { kind: 'repository_changed' }
      await addFreeFindings(tx, time, { repository, taskId, findings })
      return { kind: 'begun', session: await insertSession(tx, time, session) }
    })
}

export function createFindingAdopter({ db, now }: StoreContext): Store['adoptFindings'] {
  return (sessionId, findings) =>
    db.transaction().execute(async (tx) => {
      const { repository_id, task_id: taskId } = await tx
        .selectFrom('sessions')
        .select(['repository_id', 'task_id'])
        .where('session_id', '=', sessionId)
        .executeTakeFirstOrThrow()
      const repository = await tx
        .selectFrom('repositories')
        .selectAll()
        .where('repository_id', '=', repository_id)
        .executeTakeFirstOrThrow()
      await addFreeFindings(tx, now(), { repository, taskId, findings })
      const ids = findings.map(({ issue_code }) => computeIssueId(repository.id_seed, taskId, issue_code))
      await insertSessionIssues(tx, sessionId, ids)
      await tx
        .updateTable('sessions')
        .set({ issues_requested: ids.length, updated_at: now() })
        .where('session_id', '=', sessionId)
        .execute()
    })
}

async function addFreeFindings(
  tx: StoreContext['db'],
  time: string,
  { repository, taskId, findings }: NewFindings,
): Promise<void> {
  const held = await listIssuesHeldByOthers(tx, repository.repository_id, taskId)
  const isFree = ({ issue_code }: Finding) => !held.has(computeIssueId(repository.id_seed, taskId, issue_code))
  await upsertFindings(tx, time, { repository, taskId, findings: findings.filter(isFree) })
}

interface NewFindings {
  readonly repository: Pick<RepositoryRecord, 'repository_id' | 'id_seed'>
  readonly taskId: string
  readonly findings: readonly Finding[]
}

/** Issues that another session works on. Their text must not change under it, and the new session leaves them out. */
async function listIssuesHeldByOthers(
  tx: StoreContext['db'],
  repositoryId: string,
  taskId: string,
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom('issues')
    .innerJoin('sessions', 'sessions.session_id', 'issues.session_id')
    .select('issues.issue_id')
    .where('issues.repository_id', '=', repositoryId)
    .where('issues.task_id', '=', taskId)
    .where('issues.status', '=', 'in_progress')
    .where('sessions.ended_at', 'is', null)
    .execute()
  return new Set(rows.map(({ issue_id }) => issue_id))
}

async function insertSession(
  tx: StoreContext['db'],
  time: string,
  { issue_ids, artifacts = [], repository: _, kind = 'fix', ...session }: NewSession,
): Promise<SessionRecord> {
  await tx
    .insertInto('sessions')
    .values({ ...toRow({ ...session, kind }), started_at: time, updated_at: time })
    .execute()
  await insertSessionIssues(tx, session.session_id, issue_ids)
  for (const artifact of artifacts) {
    await tx
      .insertInto('session_artifacts')
      .values({ ...toRow(artifact), session_id: session.session_id, created_at: time })
      .onConflict((conflict) => conflict.columns(['session_id', 'kind', 'name']).doNothing())
      .execute()
  }
  const row = await selectSessions(tx).where('session_id', '=', session.session_id).executeTakeFirstOrThrow()
  return parseSessionRow(row)
}

async function insertSessionIssues(
  tx: StoreContext['db'],
  session_id: string,
  issueIds: readonly string[],
): Promise<void> {
  for (const [position, issue_id] of issueIds.entries()) {
    await tx
      .insertInto('session_issues')
      .values({ session_id, issue_id, position })
      .onConflict((conflict) => conflict.columns(['session_id', 'issue_id']).doNothing())
      .execute()
  }
}

async function upsertFindings(
  tx: StoreContext['db'],
  time: string,
  { repository, taskId, findings }: NewFindings,
): Promise<void> {
  if (findings.length > 0) {
    await tx
      .insertInto('tasks')
      .values({ repository_id: repository.repository_id, task_id: taskId, kind: 'review', created_at: time })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  for (const finding of findings) {
    const text = toRow({ ...CLEARED_FIELDS, ...Finding.parse(finding) })
    await tx
      .insertInto('issues')
      .values({
        ...text,
        issue_id: computeIssueId(repository.id_seed, taskId, finding.issue_code),
        repository_id: repository.repository_id,
        task_id: taskId,
        status: 'open',
        version: 1,
        fix_files_modified: '[]',
        created_at: time,
        updated_at: time,
      })
      .onConflict((conflict) =>
        conflict
          .column('issue_id')
          .doUpdateSet((is) => ({ ...text, updated_at: time, version: is('issues.version', '+', 1) })),
      )
      .execute()
  }
}

// A finding that comes back without one of these, such as a suggested fix, must not keep the old one.
const CLEARED_FIELDS = {
  line: undefined,
  category: undefined,
  suggested_fix: undefined,
  estimated_effort: undefined,
  estimated_files_count: undefined,
}
