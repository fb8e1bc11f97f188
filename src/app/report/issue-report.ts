// Builds one issue's report: the claim, the challenger's verdicts, the commands' results before and after, the cost.

import { calculateIssueSpending, roundTokens } from '../../domain/budget/spending.ts'
import { explainUnproven } from '../../domain/commit/explain-unproven.ts'
import { Issue } from '../../domain/issue/issue.ts'
import type { IssueFixResult } from '../../domain/session/session.ts'
import { getStageNumber, withoutParts } from '../../domain/session/step-id.ts'
import { gatingScore } from '../../domain/stage/gating-score.ts'
import type { FixClaim } from '../../domain/stage/reply-schemas.ts'
import type { RegressionProof } from '../../domain/verification/gate-record.ts'
import type { SessionIssue } from '../../store/sessions.ts'
import { toRoundVerification } from './fix-cycles.ts'
import { loadIssueChange } from './issue-diff.ts'
import { findLastRunOnTree, type SessionData } from './load-session-data.ts'
import type { IssueReport, IssueVerification, ReportedChallenge, ReportedState } from './report-model.ts'

export async function buildIssueReport(material: SessionData, own: SessionIssue): Promise<IssueReport> {
  const { issue, outcome } = own
  const { issue_code } = issue
  const calls = material.calls.filter(({ key }) => material.findIssueCodes(key).includes(issue_code))
  const state = classifyOutcome(outcome)
  const claim = findClaim(await material.listClaims(issue_code), own)
  const { diff, silenced, tree, isEmpty } = await loadIssueChange(material, own, claim)
  const challenges = material.gates.flatMap(({ stepId, evidence }): ReportedChallenge[] => {
    const verdict = evidence.verdicts?.[issue_code]
    return verdict ? [{ step_id: stepId, tree: evidence.tree, ...verdict, score: gatingScore(verdict) }] : []
  })
  const fixing = calls.filter(({ isFix }) => isFix)
  const named = new Set(material.issues.map((each) => each.issue.file))
  const judged = outcome?.train?.tree ?? tree
  return {
    ...Issue.parse(issue),
    state,
    reason: state === 'fixed' ? null : (outcome?.error ?? issue.resolution_note ?? null),
    outcome: outcome ?? null,
    unproven: (state === 'fixed' && outcome && explainUnproven(outcome)) || null,
    no_changes_applied: state !== 'fixed' && claim?.status === 'fixed' && isEmpty,
    diff,
    outside_files: (diff?.files ?? []).filter((path) => !named.has(path)),
    silenced,
    claim,
    challenges,
    verification: findVerification(
      material,
      fixing.map(({ key }) => key),
      judged,
      challenges,
    ),
    proof: state === 'fixed' ? findProof(material, issue_code) : null,
    // A session that was interrupted has not counted its current attempt.
    iterations: outcome?.iterations || new Set(fixing.map(({ key }) => withoutParts(key))).size,
    ...sumIssueSpending(material, issue_code),
    calls: calls.map(({ session_id: _, marker: __, result: ___, isFix: ____, ...call }) => call),
  }
}

function findProof({ gates }: SessionData, code: string): RegressionProof | null {
  return gates.findLast(({ evidence }) => evidence.proof?.codes.includes(code))?.evidence.proof ?? null
}

function sumIssueSpending({ calls }: SessionData, code: string) {
  const { cost_usd, cost_partial = false, tokens } = roundTokens(calculateIssueSpending(calls, code))
  return { cost_usd, cost_partial, tokens }
}

function classifyOutcome(outcome: IssueFixResult | undefined): ReportedState {
  if (outcome === undefined) return 'open'
  if (outcome.false_positive) return 'false_positive'
  if (outcome.settled) return 'settled'
  const { status } = outcome
  return status === 'completed' ? 'fixed' : status === 'failed' || status === 'skipped' ? status : 'open'
}

/** Picks the accepted claim, else the last one; without replies, rebuilds a claim from the store. */
function findClaim(claims: readonly FixClaim[], { issue: { issue_code }, outcome }: SessionIssue): FixClaim | null {
  const { changes_made, fix_self_score: confidence } = outcome ?? {}
  const found = claims.findLast(({ changes_summary }) => changes_summary === changes_made) ?? claims.at(-1)
  if (found || !changes_made) return found ?? null
  return { issue_code, status: 'fixed', changes_summary: changes_made, self_evaluation: { confidence, risks: [] } }
}

/** Finds the run on the committed tree; of an uncommitted issue, on the tree that was challenged last or on that of its last round. */
function findVerification(
  { gates, verificationIn }: SessionData,
  fixStepIds: readonly string[],
  committed: string | undefined,
  challenges: readonly ReportedChallenge[],
): IssueVerification | null {
  const stages = new Set(fixStepIds.map(getStageNumber))
  const runs = gates.filter(({ stepId, evidence }) => evidence.verification && stages.has(getStageNumber(stepId)))
  const tree = committed ?? challenges.at(-1)?.tree
  const same = runs.findLast(({ evidence }) => evidence.tree === tree)
  if (committed !== undefined) return same ? verificationIn(same) : null
  const rounds = new Set(fixStepIds.map(toRoundVerification))
  const last = findLastRunOnTree(
    runs,
    runs.findLast(({ stepId }) => rounds.has(stepId)),
  )
  const after = runs.findLast((run) => run === same || run === last)
  return after ? verificationIn(after) : null
}
