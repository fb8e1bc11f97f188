// Issues are resolved only by a commit. Intended fixes are on record as `committing` before the branch moves; after a
// crash the branch decides whether they count.

import { explainUnproven } from '../../domain/commit/explain-unproven.ts'
import { FIX_CODE_LIMIT } from '../../domain/issue/issue.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import { fixIssueCommitted, fixIssueCompleted } from '../../domain/session/events/issue-events.ts'
import type { IssueFixResult } from '../../domain/session/session.ts'
import { listPathsOwnedBy } from '../../domain/stage/change-owners.ts'
import { weightedScore } from '../../domain/stage/gating-score.ts'
import { readBranchHead } from '../../platform/git/repository/branches.ts'
import { isAncestor } from '../../platform/git/workspace/commits.ts'
import { diffText } from '../../platform/git/workspace/diff.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { Masking } from '../../platform/masking/mask-secrets.ts'
import { loadIssueSpending } from '../agent-call/enforce-budget.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, getIssue, issueEventFields, pathsOutsideFindings, type Session } from '../context.ts'
import { getGatingScore } from '../gate-records.ts'
import type { ProvenTree } from './compose-messages.ts'
import type { WrittenCommit } from './write-commits.ts'

type ResolveContext = Pick<ActivityContext, 'store' | 'masking'>

interface CommitToRecord {
  readonly approved: ProvenTree
  readonly commit: WrittenCommit
}

/** To be called before the branch moves. */
export async function recordIntendedFixes(
  { store, masking }: ResolveContext,
  session: Session,
  workspace: Workspace,
  { approved, commits }: { readonly approved: ProvenTree; readonly commits: readonly WrittenCommit[] },
): Promise<IssueFixResult[]> {
  const fixes: IssueFixResult[] = []
  for (const commit of commits) {
    for (const code of commit.codes) {
      const fix = await buildFixResult(masking, session, workspace, { approved, commit }, code)
      fixes.push({ ...fix, ...(await loadIssueSpending({ store }, session.id, code)) })
    }
  }
  for (const fix of fixes) await store.sessions.setIssueOutcome(session.id, fix)
  return fixes
}

async function buildFixResult(
  masking: Masking,
  session: Session,
  workspace: Workspace,
  { approved, commit }: CommitToRecord,
  code: string,
): Promise<IssueFixResult> {
  const { input, composed, gate, checks } = approved
  const { owners, claims } = composed
  const files = Object.keys(owners).filter((path) => owners[path]?.includes(code))
  const own = listPathsOwnedBy(owners, [code])
  // The diff is masked before it is cut: half of a secret would not be recognised.
  const diff = await masking.maskText(
    await diffText(workspace, commit.parent, commit.sha, own.length > 0 ? own : files),
  )
  const claim = claims[code]
  const score = getGatingScore(gate, code)
  const quality = gate?.verdicts?.[code]?.quality_scores
  const confidence = claim?.self_evaluation?.confidence
  const outside = pathsOutsideFindings(session, files)
  return await masking.maskValues<IssueFixResult>({
    issue_id: getIssue(session, code).issue_id,
    issue_code: code,
    status: 'committing',
    commit_sha: commit.sha,
    commit_message: commit.message,
    changes_made: claim?.changes_summary ?? '',
    // The cut may split a surrogate pair, and half of one must not stay.
    fix_code: diff.slice(0, FIX_CODE_LIMIT).toWellFormed(),
    fix_explanation: claim?.changes_summary ?? '',
    fix_files_modified: files,
    ...(outside.length > 0 ? { fix_files_outside: outside } : {}),
    proven_by: [
      ...(score === undefined ? [] : ['challenger' as const]),
      ...(checks.passed.length > 0 ? ['checks' as const] : []),
    ],
    ...(checks.unproven ? { unproven: checks.unproven } : {}),
    ...(commit.train ? { train: commit.train } : {}),
    false_positive: false,
    iterations: input.iterations[code] ?? 0,
    ...(confidence === undefined ? {} : { fix_self_score: confidence }),
    ...(score === undefined ? {} : { fix_gemini_score: score }),
    ...(quality ? { quality_scores: quality, weighted_score: weightedScore(quality, score) } : {}),
  })
}

/** To be called after the branch has moved. */
export async function resolveCommittedFixes(
  context: ResolveContext,
  session: Session,
  fixes: readonly IssueFixResult[],
): Promise<void> {
  for (const fix of fixes) {
    const { issue_id, fix_code, fix_explanation, fix_files_modified, fix_self_score, fix_gemini_score } = fix
    await context.store.issues.changeStatus({
      issue_id,
      to: 'resolved',
      mover: 'session',
      session_id: session.id,
      fix: {
        fix_code,
        fix_explanation,
        fix_files_modified,
        fix_self_score,
        fix_gemini_score,
        fix_commit_sha: fix.commit_sha,
        fix_branch: session.record.branch_name,
      },
    })
    await appendEvents(context, session.id, fixCommittedEvents(session, fix, fixes))
    // Last, because it marks all the rest as done.
    await context.store.sessions.setIssueOutcome(session.id, { ...fix, status: 'completed' })
  }
}

function fixCommittedEvents(session: Session, fix: IssueFixResult, all: readonly IssueFixResult[]): NewEvent[] {
  const { issue_code: code, commit_sha = '', commit_message = '', cost_usd, cost_partial, tokens } = fix
  const codes = all.filter((other) => other.commit_sha === commit_sha).map(({ issue_code }) => issue_code)
  const facts = { codes, cost_usd, cost_partial, tokens }
  const about = { ...issueEventFields(session, code), commit_sha }
  const [subject = ''] = commit_message.split('\n', 1)
  const unproven = explainUnproven(fix) !== undefined
  return [
    fixIssueCommitted({ ...facts, subject, unproven }, about),
    fixIssueCompleted({ ...facts, title: getIssue(session, code).title }, about),
  ]
}

/** Finishes commits that were under way when their worker died: fixes on the branch count, the others do not. */
export async function resolveInterruptedFixes(context: ResolveContext, session: Session): Promise<void> {
  const { repository, branch_name } = session.record
  const written = (await context.store.sessions.listIssues(session.id)).flatMap(({ outcome }) => outcome ?? [])
  const intended = written.filter(({ status }) => status === 'committing')
  if (intended.length === 0 || branch_name === undefined) return
  const head = await readBranchHead(repository, branch_name)
  const landed: IssueFixResult[] = []
  for (const fix of intended) {
    if (head && fix.commit_sha && (await isAncestor(repository, fix.commit_sha, head))) landed.push(fix)
  }
  await resolveCommittedFixes(context, session, landed)
}
