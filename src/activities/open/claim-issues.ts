// Claims a session's issues, so that no other session works on them; skips those that are done or taken.
import { join } from 'node:path'
import { listTraces } from '../../domain/commit/trailers.ts'
import { decideLanding, describeMerge } from '../../domain/forge/decide-landing.ts'
import { type IssueStatus, isActionable } from '../../domain/issue/issue.ts'
import { fixIssueSkipped, fixIssueValidating } from '../../domain/session/events/issue-events.ts'
import { logIssueReopened } from '../../domain/session/events/logs/session-logs.ts'
import type { IssueFixResult } from '../../domain/session/session.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import { isCommitOnAnyRef } from '../../platform/git/repository/branches.ts'
import { findLandings } from '../../platform/git/repository/find-landings.ts'
import { listMainHeads } from '../../platform/git/repository/inspect.ts'
import { withOwnGitDir } from '../../platform/git/repository/own-git-dir.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, issueEventFields, type Session } from '../context.ts'

export async function claimIssues(context: ActivityContext, session: Session): Promise<IssueRecord[]> {
  const todo: IssueRecord[] = []
  for (const { issue, outcome } of await context.store.sessions.listIssues(session.id)) {
    const about = issueEventFields(session, issue.issue_code)
    const { status, file } = issue
    await appendEvents(context, session.id, [fixIssueValidating({ status, file }, about)])
    // An earlier attempt of this activity has skipped it. The reason may be over by now, but it is on record.
    if (outcome) continue
    const reason = await claimIssue(context, session, issue)
    if (reason === undefined) todo.push(issue)
    else await skipIssue(context, session, issue, reason)
  }
  return todo
}

/** Claims the issue; returns the reason if that is not possible. */
async function claimIssue(context: ActivityContext, session: Session, issue: IssueRecord): Promise<string | undefined> {
  const { issue_id, issue_code, status } = issue
  const move = { issue_id, mover: 'session', session_id: session.id } as const
  if (!isActionable(status)) {
    if (!(await hasLostFixCommit(context, issue))) return alreadyDoneReason(issue)
    const merged = await mergeLandedIssue(context, session.id, issue)
    if (merged) return alreadyDoneReason(merged)
    const about = issueEventFields(session, issue_code)
    await appendEvents(context, session.id, [logIssueReopened({ commit: issue.fix_commit_sha ?? '' }, about)])
    const reopened = await context.store.issues.changeStatus({ ...move, from: 'resolved', to: 'open' })
    if (reopened.kind === 'refused') return reopened.problem
  }
  const taken = await context.store.issues.changeStatus({ ...move, to: 'in_progress' })
  return taken.kind === 'refused' ? taken.problem : undefined
}

/** A resolved issue stays resolved only while its commit, or one made from it, is on some ref. */
async function hasLostFixCommit({ store }: ActivityContext, issue: IssueRecord): Promise<boolean> {
  const { status, repository, issue_code, fix_commit_sha: commit, session_id } = issue
  if (status !== 'resolved' || commit === undefined || session_id === undefined) return false
  const since = (await store.sessions.get(session_id))?.started_at
  if (since === undefined) return false
  const own = (await store.sessions.listIssues(session_id)).find((each) => each.issue.issue_id === issue.issue_id)
  const lines = listTraces(own?.outcome?.commit_message ?? '', { session: session_id, codes: [issue_code] })
  return !(await isCommitOnAnyRef(repository, { commit, lines, since }))
}

/** A squash or a rebase leaves nothing of a commit but its change: the issue is merged then, and is returned. */
async function mergeLandedIssue(
  context: ActivityContext,
  sessionId: string,
  { issue_id, repository, fix_commit_sha: commit }: IssueRecord,
): Promise<IssueRecord | undefined> {
  if (commit === undefined) return undefined
  for (const { name, commit: target } of await listMainHeads(repository)) {
    const folder = join(context.sessionsFolder, '.landing', sessionId)
    const question = { target, tip: commit, commits: [commit] }
    const [found] = await withOwnGitDir({ root: repository, folder, commit: target }, (gitDir) =>
      findLandings(gitDir, question),
    )
    const landing = found && decideLanding(found)
    if (landing?.kind !== 'merged') continue
    const note = describeMerge(name, landing)
    const move = { issue_id, mover: 'merge', from: 'resolved', to: 'merged', note } as const
    const moved = await context.store.issues.changeStatus(move)
    if (moved.kind === 'moved') return moved.issue
  }
  return undefined
}

function alreadyDoneReason({ status, fix_commit_sha, fix_branch, resolution_note }: IssueRecord): string {
  const where = fix_commit_sha ? ` by ${fix_commit_sha.slice(0, 10)}${fix_branch ? ` on ${fix_branch}` : ''}` : ''
  const note = resolution_note ? ` (${resolution_note})` : ''
  return `is ${status} already${where}${note}`
}

async function skipIssue(
  context: ActivityContext,
  session: Session,
  issue: IssueRecord,
  reason: string,
): Promise<void> {
  const about = issueEventFields(session, issue.issue_code)
  await appendEvents(context, session.id, [fixIssueSkipped({ reason }, about)])
  await context.store.sessions.setIssueOutcome(
    session.id,
    await context.masking.maskValues(toSkippedResult(issue, reason)),
  )
}

const DONE_STATUSES: ReadonlySet<IssueStatus> = new Set(['resolved', 'merged', 'ignored', 'duplicate'])

export function toSkippedResult(issue: IssueRecord, reason: string, iterations = 0): IssueFixResult {
  const isDone = DONE_STATUSES.has(issue.status)
  return {
    issue_id: issue.issue_id,
    issue_code: issue.issue_code,
    status: 'skipped',
    error: reason,
    fix_files_modified: isDone ? issue.fix_files_modified : [],
    false_positive: false,
    iterations,
    ...(isDone ? { settled: isDone } : {}),
    ...(isDone && issue.fix_commit_sha !== undefined ? { commit_sha: issue.fix_commit_sha } : {}),
  }
}
