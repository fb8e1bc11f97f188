// The end of a session, and what it says on the way while it waits. Closing runs however the session went: every issue gets
// its state, the result is put together from the store, the last event is the terminal one, and the workspace goes.
import { rm } from 'node:fs/promises'
import type { NewEvent } from '../domain/events.ts'
import { CONSEQUENCES } from '../domain/failure.ts'
import type { CloseInput, IssueOutcome, NoteInput, SessionSummary } from '../domain/protocol.ts'
import type { IssueRecord } from '../domain/records.ts'
import type { FixSessionResult, FixStatus, IssueFixResult, SessionCommit } from '../domain/session.ts'
import { branchHead } from '../git/branches.ts'
import { commitsBetween } from '../git/commits.ts'
import { removeWorkspace } from '../git/workspace.ts'
import { reap } from '../processes/marker.ts'
import { skipped } from './opening.ts'
import { aboutIssue, folderOf, loadSession, type Session, tell, type Workshop, workspaceFolder } from './workshop.ts'

export async function note(shop: Workshop, { sessionId, call, message, waiting }: NoteInput): Promise<void> {
  const type = waiting ? 'fix_waiting' : 'fix_resumed'
  await tell(shop, sessionId, [
    { key: call, type, message, ...(waiting ? { data: { since: waiting.since, until: waiting.until } } : {}) },
  ])
  await shop.store.sessions.update(sessionId, {
    waiting: waiting
      ? {
          kind: call.includes('commit') ? 'branch' : 'limit',
          reason: waiting.for,
          since: new Date(waiting.since).toISOString(),
          ...(waiting.until === undefined ? {} : { until: new Date(waiting.until).toISOString() }),
        }
      : null,
  })
}

export async function closeSession(shop: Workshop, input: CloseInput): Promise<SessionSummary> {
  const session = await loadSession(shop, input.sessionId)
  const already = session.record.result
  if (already) return await announce(shop, session, input, already)

  await reap(session.id)
  const results = await settle(shop, session, input)
  const result = await resultOf(shop, session, input, results)
  await removeWorkspace(workspaceFolder(shop, session.id))
  await rm(folderOf(shop, session.id), { recursive: true, force: true })
  await shop.store.sessions.update(session.id, {
    status: result.status,
    result,
    issues_fixed: result.issues_fixed,
    issues_failed: result.issues_failed,
    issues_skipped: result.issues_skipped,
    cost_usd: result.cost_usd,
    ...(result.ending ? { ending: result.ending } : {}),
  })
  return await announce(shop, session, input, result)
}

/** The last event: whoever reads it finds the result in the store, and nothing of the session left on the disk. */
async function announce(
  shop: Workshop,
  session: Session,
  input: CloseInput,
  result: FixSessionResult,
): Promise<SessionSummary> {
  await tell(shop, session.id, closingEvents(session, input, result))
  return summaryOf(result)
}

/** Every issue that the session took up ends in exactly one state. */
async function settle(shop: Workshop, session: Session, { outcomes, ending }: CloseInput): Promise<IssueFixResult[]> {
  const stored = await shop.store.sessions.issuesOf(session.id)
  const results: IssueFixResult[] = []
  for (const { issue, outcome: written } of stored) {
    if (written && written.status !== 'failed') {
      results.push(written)
      continue
    }
    const outcome = outcomes[issue.issue_code]
    const failed = outcome?.status === 'failed'
    const reason = outcome?.reason || ending?.detail || 'the session ended before it was tried'
    const result = failed ? failedResult(issue, outcome, reason) : skipped(issue, reason)
    await shop.store.sessions.setOutcome(session.id, result)
    if (issue.status === 'in_progress' && issue.session_id === session.id) {
      const to = failed ? 'failed' : 'open'
      await shop.store.issues.move({ issue_id: issue.issue_id, to, mover: 'session', session_id: session.id })
    }
    await tell(shop, session.id, [
      {
        key: `${issue.issue_code}/${failed ? 'failed' : 'skipped'}`,
        type: failed ? 'fix_issue_failed' : 'fix_issue_skipped',
        message: reason,
        ...aboutIssue(session, issue.issue_code),
      },
    ])
    results.push(result)
  }
  return results
}

function failedResult(issue: IssueRecord, outcome: IssueOutcome, reason: string): IssueFixResult {
  return {
    issue_id: issue.issue_id,
    issue_code: issue.issue_code,
    status: 'failed',
    error: reason,
    fix_files_modified: [],
    false_positive: false,
    iterations: outcome.iterations,
    ...(outcome.score === undefined ? {} : { fix_gemini_score: outcome.score }),
  }
}

async function resultOf(
  shop: Workshop,
  session: Session,
  { ending, at }: CloseInput,
  results: readonly IssueFixResult[],
): Promise<FixSessionResult> {
  const { record } = session
  const count = (status: FixStatus): number => results.filter((result) => result.status === status).length
  const calls = await shop.store.calls.ofSession(session.id)
  const [fixed, failed] = [count('completed'), count('failed')]
  const settled = results.filter(({ status, commit_sha }) => status === 'skipped' && commit_sha).length
  const all = fixed + settled === results.length
  const plain = fixed + failed === 0 ? 'skipped' : all ? 'completed' : fixed > 0 ? 'partial' : 'failed'
  return {
    session_id: session.id,
    repository_id: record.repository,
    task_id: record.task_id,
    branch_name: record.branch_name ?? null,
    status: ending ? statusOf(ending.class, plain) : plain,
    issues_requested: results.length,
    issues_fixed: fixed,
    issues_failed: failed,
    issues_skipped: count('skipped'),
    results: [...results],
    commits: await commitsOf(session),
    cost_usd: calls.reduce((sum, call) => sum + (call.cost_usd ?? 0), 0),
    duration_ms: Math.max(0, Math.round(at - Date.parse(record.started_at))),
    ...(ending ? { ending: { class: ending.class, reason: ending.detail } } : {}),
  }
}

function statusOf(failure: keyof typeof CONSEQUENCES, plain: FixStatus): FixStatus {
  const { session } = CONSEQUENCES[failure]
  return session === 'none' ? plain : session
}

async function commitsOf({ id, record }: Session): Promise<SessionCommit[]> {
  if (!record.branch_name || !record.base_commit) return []
  const tip = await branchHead(record.repository, record.branch_name)
  if (!tip) return []
  const commits = await commitsBetween(record.repository, record.base_commit, tip)
  return commits
    .filter(({ trailers }) => trailers.some(([key, value]) => key === 'Fixwright-Session' && value === id))
    .map(({ sha, message, trailers }) => ({
      sha,
      message,
      issue_codes: trailers.flatMap(([key, value]) => (key === 'Fixwright-Issue' ? [value] : [])),
    }))
}

function closingEvents(session: Session, { ending }: CloseInput, result: FixSessionResult): NewEvent[] {
  const counts = `${result.issues_fixed} fixed, ${result.issues_failed} failed, ${result.issues_skipped} skipped`
  const type = ending ? CONSEQUENCES[ending.class].event : 'fix_session_completed'
  const message = ending ? `${ending.detail} · ${counts}` : counts
  const data = { status: result.status, commits: result.commits.map(({ sha }) => sha), cost_usd: result.cost_usd }
  return [{ key: 'session/ended', type, message, total_issues: session.issues.length, data }]
}

function summaryOf(result: FixSessionResult): SessionSummary {
  return {
    sessionId: result.session_id,
    status: result.status as SessionSummary['status'],
    requested: result.issues_requested,
    fixed: result.issues_fixed,
    failed: result.issues_failed,
    skipped: result.issues_skipped,
  }
}
