// Closes a session, however it went: ends each issue, builds the result from the store, removes the workspace. Needs
// neither workflow nor repository, so a session whose workflow was terminated is closed here, too.
import { stripAdvice } from '../../domain/budget/limits.ts'
import { explainUnproven } from '../../domain/commit/explain-unproven.ts'
import { isWhole } from '../../domain/review/check-coverage.ts'
import type { ReviewSummary } from '../../domain/review/review-record.ts'
import { summarizeFindings } from '../../domain/review-fix/summarize-findings.ts'
import { fixIssueFailed, fixIssueSkipped, type IssueEndFacts } from '../../domain/session/events/issue-events.ts'
import { logFolderLeft } from '../../domain/session/events/logs/session-logs.ts'
import { fixSessionEnded } from '../../domain/session/events/session-events.ts'
import { CONSEQUENCES } from '../../domain/session/failure.ts'
import {
  countDoneIssues,
  type FixSessionResult,
  type FixStatus,
  type IssueFixResult,
  type SessionCommit,
  type SessionEnding,
} from '../../domain/session/session.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import { acceptsUnproven, getProfile } from '../../domain/settings/schema.ts'
import type { VoteSummary } from '../../domain/vote/vote-record.ts'
import type { CloseInput, Ending, IssueOutcome, SessionSummary } from '../../domain/workflow-types/index.ts'
import { GitError } from '../../platform/git/git.ts'
import { readBranchHead } from '../../platform/git/repository/branches.ts'
import { isRepositoryGone } from '../../platform/git/repository/inspect.ts'
import { listCommitsBetween } from '../../platform/git/workspace/commits.ts'
import { reapMarked } from '../../platform/processes/reap-marked.ts'
import { loadIssueSpending } from '../agent-call/enforce-budget.ts'
import { appendEvents } from '../append-events.ts'
import { resolveInterruptedFixes } from '../commit/resolve-issues.ts'
import { type ActivityContext, issueEventFields, loadSession, type Session } from '../context.ts'
import { toSkippedResult } from '../open/claim-issues.ts'
import { removeSessionFolder } from './remove-session-folder.ts'

interface CloseContext extends Pick<ActivityContext, 'store' | 'sessionsFolder' | 'masking' | 'announce'> {
  /** This is the last try: what git can't tell now stays unknown. */
  readonly isLast?: boolean
}

/** May run any number of times; the terminal event is the last step. */
export async function closeSession(context: CloseContext, input: CloseInput): Promise<SessionSummary> {
  const session = await loadSession(context, input.sessionId)
  const result = session.record.result ?? (await finishSession(context, session, input))
  const { ending, by } = input
  // A person who cancels too late has not ended the session.
  const cancelledBy = ending?.class === 'cancelled' ? by : undefined
  const budgetUsd = session.settings.budgets.session_usd
  await appendEvents(context, session.id, [fixSessionEnded({ result, ending, cancelledBy, budgetUsd })])
  return toSessionSummary(result)
}

async function finishSession(context: CloseContext, session: Session, input: CloseInput): Promise<FixSessionResult> {
  await reapMarked(session.id)
  await context.store.agentCalls.abandon(session.id)
  await fallbackIfRepositoryGone(context, session, resolveInterruptedFixes(context, session), undefined)
  const results = await closeIssues(context, session, input)
  const result = await context.masking.maskValues(await buildSessionResult(context, session, input, results))
  const left = await removeSessionFolder(context, session.id)
  if (left) await appendEvents(context, session.id, [logFolderLeft(left)])
  await context.store.sessions.update(session.id, {
    status: result.status,
    result,
    issues_fixed: result.issues_fixed,
    issues_failed: result.issues_failed,
    issues_skipped: result.issues_skipped,
    cost_usd: result.cost_usd,
    ...(result.ending ? { ending: result.ending } : {}),
  })
  return result
}

/** Falls back if the repository is gone or the try is the last; other errors may pass, and records stay. */
async function fallbackIfRepositoryGone<T>(
  { isLast = false }: CloseContext,
  { record }: Session,
  looking: Promise<T>,
  otherwise: T,
): Promise<T> {
  return await looking.catch((error: unknown) => {
    if (error instanceof GitError && (isLast || isRepositoryGone(record.repository))) return otherwise
    throw error
  })
}

/** Every issue that the session was asked to fix ends in exactly one state. */
async function closeIssues(
  context: CloseContext,
  session: Session,
  { outcomes, ending }: CloseInput,
): Promise<IssueFixResult[]> {
  const results: IssueFixResult[] = []
  for (const { issue, outcome: written } of await context.store.sessions.listIssues(session.id)) {
    const isOurs = issue.status === 'in_progress' && issue.session_id === session.id
    if (written?.status === 'completed' || (written?.status === 'skipped' && !isOurs)) {
      results.push(written)
      continue
    }
    const outcome = outcomes[issue.issue_code]
    const { to, result: unmasked, falsePositive } = decideIssueEnd(issue, outcome, ending?.detail)
    const spent = await loadIssueSpending(context, session.id, issue.issue_code)
    const result = await context.masking.maskValues({ ...unmasked, ...spent })
    if (isOurs) {
      const note = result.false_positive ? result.fix_explanation : undefined
      await context.store.issues.changeStatus({
        issue_id: issue.issue_id,
        to,
        mover: 'session',
        session_id: session.id,
        note,
      })
    }
    const end = { reason: result.error ?? '', falsePositive, ...spent }
    const about = issueEventFields(session, issue.issue_code)
    await appendEvents(context, session.id, [
      result.status === 'failed' ? fixIssueFailed(end, about) : fixIssueSkipped(end, about),
    ])
    // Last, because it marks all the rest as done.
    await context.store.sessions.setIssueOutcome(session.id, result)
    results.push(result)
  }
  return results
}

interface IssueEnd extends Pick<IssueEndFacts, 'falsePositive'> {
  readonly to: 'failed' | 'open' | 'ignored'
  readonly result: IssueFixResult
}

function decideIssueEnd(issue: IssueRecord, outcome: IssueOutcome | undefined, ending: string | undefined): IssueEnd {
  const reason = stripAdvice(outcome?.reason || ending || 'the session ended before it was tried')
  if (outcome?.status === 'failed') return { to: 'failed', result: toFailedResult(issue, outcome, reason) }
  if (outcome?.status !== 'ignored') return { to: 'open', result: toOpenResult(issue, outcome, reason) }
  const { agreedStepId } = outcome
  return { to: 'ignored', result: toIgnoredResult(issue, outcome), falsePositive: { agreedStepId } }
}

function toOpenResult(issue: IssueRecord, outcome: IssueOutcome | undefined, reason: string): IssueFixResult {
  return { ...toSkippedResult(issue, reason, outcome?.iterations), ...scoreField(outcome) }
}

function toIgnoredResult({ issue_id, issue_code }: IssueRecord, { reason, iterations }: IssueOutcome): IssueFixResult {
  return {
    issue_id,
    issue_code,
    status: 'skipped',
    error: `false positive: ${reason} (the challenger agreed)`,
    fix_explanation: reason,
    fix_files_modified: [],
    false_positive: true,
    iterations,
    settled: true,
  }
}

function toFailedResult(issue: IssueRecord, outcome: IssueOutcome, reason: string): IssueFixResult {
  return {
    issue_id: issue.issue_id,
    issue_code: issue.issue_code,
    status: 'failed',
    error: reason,
    fix_files_modified: [],
    false_positive: false,
    iterations: outcome.iterations,
    ...scoreField(outcome),
  }
}

function scoreField(outcome: IssueOutcome | undefined): Pick<IssueFixResult, 'fix_gemini_score'> {
  return outcome?.score === undefined ? {} : { fix_gemini_score: outcome.score }
}

async function buildSessionResult(
  context: CloseContext,
  session: Session,
  { ending, at, outcomes, review, votes, tracked }: CloseInput,
  results: readonly IssueFixResult[],
): Promise<FixSessionResult> {
  const { record } = session
  const count = (status: FixStatus): number => results.filter((result) => result.status === status).length
  const [fixed, failed] = [count('completed'), count('failed')]
  const all = countDoneIssues(results) === results.length
  const isCut = Object.values(outcomes).some(({ failure }) => failure === 'budget')
  const plain = votes
    ? 'completed'
    : fixed + failed === 0
      ? isCut
        ? 'partial'
        : 'skipped'
      : all
        ? 'completed'
        : fixed > 0
          ? 'partial'
          : 'failed'
  return {
    session_id: session.id,
    ...(record.kind === 'fix' ? {} : { kind: record.kind }),
    repository_id: record.repository_id,
    task_id: record.task_id,
    branch_name: record.branch_name ?? null,
    status:
      record.kind === 'review'
        ? decideReviewStatus(review, ending)
        : record.kind === 'review-fix'
          ? decideReviewFixStatus(review, ending, results.length === 0 ? undefined : plain)
          : ending
            ? CONSEQUENCES[ending.class].session
            : plain,
    issues_requested: results.length,
    issues_fixed: fixed,
    issues_failed: failed,
    issues_skipped: count('skipped'),
    results: [...results],
    commits: await fallbackIfRepositoryGone(context, session, listSessionCommits(session, results), []),
    ...(await context.store.agentCalls.sumSpending(session.id)),
    duration_ms: Math.max(0, Math.round(at - Date.parse(record.started_at))),
    ...listRefused(session, results),
    ...(votes ? { votes } : {}),
    ...(review ? { review } : {}),
    ...(await listFindingsEnd(context, session, { results, review, tracked })),
    ...(ending ? { ending: { class: ending.class, reason: ending.detail, ...codeField(ending) } } : {}),
  }
}

function listRefused(
  { settings }: Session,
  results: readonly IssueFixResult[],
): Pick<FixSessionResult, 'unproven_refused'> {
  const unproven = results.filter((result) => result.status === 'completed' && explainUnproven(result) !== undefined)
  if (unproven.length === 0 || acceptsUnproven(settings)) return {}
  return { unproven_refused: unproven.map(({ issue_code }) => issue_code) }
}

function codeField({ code }: Ending): Pick<SessionEnding, 'code'> {
  return code === undefined ? {} : { code }
}

/** A review that was not concluded is none, whatever ended it. */
function decideReviewStatus(review: ReviewSummary | undefined, ending: Ending | undefined): FixStatus {
  if (ending?.class === 'cancelled') return 'cancelled'
  if (review === undefined) return 'failed'
  return review.unverified === 0 && isWhole(review) ? 'completed' : 'partial'
}

/** A session is completed only if all was reviewed and all was fixed. */
function decideReviewFixStatus(
  review: ReviewSummary | undefined,
  ending: Ending | undefined,
  fixed: FixStatus | undefined,
): FixStatus {
  const reviewed = decideReviewStatus(review, ending)
  if (fixed === undefined || review === undefined) return reviewed
  const plain = ending ? CONSEQUENCES[ending.class].session : fixed
  return plain === 'completed' ? reviewed : plain
}

/** Sums up a session whose findings have a limited number of attempts. */
async function listFindingsEnd(
  { store }: CloseContext,
  { id, settings }: Session,
  {
    results,
    review,
    tracked = [],
  }: Pick<CloseInput, 'review' | 'tracked'> & { readonly results: readonly IssueFixResult[] },
): Promise<Pick<FixSessionResult, 'findings'>> {
  const { max_attempts_per_issue: most } = getProfile(settings)
  if (most === null) return {}
  const issues = (await store.sessions.listIssues(id)).map(({ issue }) => issue)
  return {
    findings: summarizeFindings({ issues, results, tracked, outside: review?.outside ?? [], maxAttempts: most }),
  }
}

/** By their trailers, which survive a rebase; without any, by the hashes in the issues' results. */
async function listSessionCommits(
  { id, record }: Session,
  results: readonly IssueFixResult[],
): Promise<SessionCommit[]> {
  if (!record.branch_name || !record.base_commit) return []
  const tip = await readBranchHead(record.repository, record.branch_name)
  if (!tip) return []
  const commits = await listCommitsBetween(record.repository, record.base_commit, tip)
  const fixed = results.filter(({ status }) => status === 'completed')
  return commits.flatMap(({ sha, message, trailers }) => {
    const own = fixed.filter(({ commit_sha }) => commit_sha === sha)
    const isOurs = trailers.some(([key, value]) => key === 'Fixwright-Session' && value === id)
    if (!isOurs && own.length === 0) return []
    const named = trailers.flatMap(([key, value]) => (key === 'Fixwright-Issue' ? [value] : []))
    const issue_codes = named.length > 0 ? named : own.map(({ issue_code }) => issue_code)
    const train = own.find((result) => result.train)?.train
    return [{ sha, message, issue_codes, ...(train ? { train } : {}) }]
  })
}

export function toSessionSummary(result: FixSessionResult): SessionSummary {
  return {
    sessionId: result.session_id,
    status: result.status as SessionSummary['status'],
    requested: result.issues_requested,
    fixed: result.issues_fixed,
    failed: result.issues_failed,
    skipped: result.issues_skipped,
    ...(result.unproven_refused ? { unproven: result.unproven_refused.length } : {}),
    ...(result.ending?.code ? { code: result.ending.code } : {}),
    // A review that failed has no counts: nothing is known of it.
    ...(result.review?.record_ref === undefined ? {} : { review: countReviewed(result.review) }),
    ...(result.votes ? { votes: toVoteCounts(result.votes) } : {}),
  }
}

function countReviewed({ confirmed, refuted, unverified, merged, not_reviewed }: ReviewSummary) {
  return { confirmed, refuted, unverified, merged, notReviewed: not_reviewed.length }
}

function toVoteCounts({ verdict, mean }: VoteSummary) {
  return { verdict, ...(mean === undefined ? {} : { mean }) }
}
