// Starts that are answered without a session: those with nothing to do, and work that a session has just done.
import { listTraces } from '../domain/commit/trailers.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import type { FixSessionResult, IssueFixResult, SessionRecord } from '../domain/session/session.ts'
import { effectiveIterations, type Settings } from '../domain/settings/schema.ts'
import { isCommitOnAnyRef } from '../platform/git/repository/branches.ts'
import type { NewSession } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'

/** For this long, the result of a fully successful session answers a new start of the same work. */
const REUSE_RESULT_MS = 3_600_000

/** Why a session would do nothing; undefined if it would work. Such a start begins no session and joins none. */
export function nothingToDoReason(findings: readonly Finding[], settings: Settings): string | undefined {
  if (findings.length === 0) return 'the list of findings is empty'
  return effectiveIterations(settings) === 0 ? 'max_iterations is 0, so the fixer may not try' : undefined
}

/** The result of a start without a session: no session of this id is stored, and the issues stay as they are. */
export function buildSkippedResult(
  { session_id, repository_id, task_id, issue_ids }: NewSession,
  findings: readonly Finding[],
  reason: string,
): FixSessionResult {
  const results = findings.map(
    ({ issue_code }, index): IssueFixResult => ({
      issue_id: issue_ids[index] ?? '',
      issue_code,
      status: 'skipped',
      error: reason,
      fix_files_modified: [],
      false_positive: false,
      iterations: 0,
    }),
  )
  return {
    session_id,
    repository_id,
    task_id,
    branch_name: null,
    status: 'skipped',
    issues_requested: results.length,
    issues_fixed: 0,
    issues_failed: 0,
    issues_skipped: results.length,
    results,
    commits: [],
    cost_usd: 0,
    duration_ms: 0,
    skipped: true,
  }
}

export async function findReusableResult(
  store: Store,
  session: ComparableSession & { key: string },
): Promise<FixSessionResult | undefined> {
  const earlier = await store.sessions.findLatestByKey(session.key)
  if (earlier?.status !== 'completed' || !earlier.result || !earlier.ended_at) return undefined
  if (Date.now() - Date.parse(earlier.ended_at) > REUSE_RESULT_MS) return undefined
  const same = listChangedOptions(earlier, session).length === 0 && (await areCommitsPresent(earlier))
  return same ? earlier.result : undefined
}

/** Whether all commits of a session still exist: its result has no value if its branch was deleted. */
async function areCommitsPresent({ repository, session_id, started_at, result }: SessionRecord): Promise<boolean> {
  for (const { sha, message, issue_codes } of result?.commits ?? []) {
    const lines = listTraces(message, { session: session_id, codes: issue_codes })
    if (!(await isCommitOnAnyRef(repository, { commit: sha, lines, since: started_at }))) return false
  }
  return true
}

type ComparableSession = Pick<SessionRecord, 'settings' | 'user_notes' | 'options'>

/** The names of the options in which an earlier session differs from this start. */
export function listChangedOptions(earlier: ComparableSession, now: ComparableSession): string[] {
  const [before, asked] = [collectOptions(earlier), collectOptions(now)]
  return Object.keys(asked).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(asked[name]))
}

function collectOptions({ settings, user_notes = '', options }: ComparableSession): Record<string, unknown> {
  const { base_asked: base, against_asked: against, branch_asked: branch, use_existing_branch: existing } = options
  const { findings, review } = options
  const texts = { 'the text of the findings': findings, 'the review': review }
  return { ...settings, notes: user_notes, base, against, branch, existing, ...texts }
}
