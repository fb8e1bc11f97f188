// One issue with its evidence: what was claimed, what the challenger said, what the commands said before and after, what it cost.

import { rounded, spentOnIssue } from '../../domain/budget/spending.ts'
import type { IssueFixResult } from '../../domain/session/session.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import { gatingScore } from '../../domain/stage/score.ts'
import { trailerIn } from '../../domain/text/branch-and-commit-names.ts'
import type { RegressionProof } from '../../domain/verification/compare-runs.ts'
import type { SessionIssue } from '../../store/sessions.ts'
import { changedBy } from './issue-diff.ts'
import { lastOn, type Material, stageOf } from './load-session-data.ts'
import type { Challenge, IssueReport, IssueState, IssueVerification } from './report-model.ts'

export async function issueReport(material: Material, own: SessionIssue): Promise<IssueReport> {
  const { issue, outcome } = own
  const { issue_code, issue_id, title, description, file, line, severity, category } = issue
  const calls = material.calls.filter(({ key }) => material.codesOf(key).includes(issue_code))
  const state = stateOf(outcome)
  const claim = claimOf(await material.claimsOf(issue_code), own)
  const { diff, silenced, tree, isEmpty } = await changedBy(material, own, claim)
  const challenges = material.gates.flatMap(({ call, found }): Challenge[] => {
    const verdict = found.verdicts?.[issue_code]
    return verdict ? [{ call, tree: found.tree, ...verdict, score: gatingScore(verdict) }] : []
  })
  const fixing = calls.filter(({ isFix }) => isFix)
  const named = new Set(material.issues.map((each) => each.issue.file))
  return {
    ...{ issue_code, issue_id, title, description, file, line, severity, category },
    state,
    reason: state === 'fixed' ? null : (outcome?.error ?? issue.resolution_note ?? null),
    outcome: outcome ?? null,
    unproven: state === 'fixed' && trailerIn(outcome?.commit_message ?? '', 'Unproven') !== undefined,
    no_changes_applied: state !== 'fixed' && claim?.status === 'fixed' && isEmpty,
    diff,
    outside_files: (diff?.files ?? []).filter((path) => !named.has(path)),
    silenced,
    claim,
    challenges,
    verification: verificationOf(material, new Set(fixing.map(({ key }) => stageOf(key))), tree, challenges),
    proof: state === 'fixed' ? proofOf(material, issue_code) : null,
    // A session that was cut short has not counted the attempt that was under way.
    iterations:
      outcome?.iterations || new Set(fixing.map(({ key }) => key.replace(/\.(repair|rest|w\d+)\b/g, ''))).size,
    ...spentFor(material, issue_code),
    calls: calls.map(({ session_id: _, marker: __, result: ___, isFix: ____, ...call }) => call),
  }
}

function proofOf({ gates }: Material, code: string): RegressionProof | null {
  return gates.findLast(({ found }) => found.proof?.codes.includes(code))?.found.proof ?? null
}

/** Earlier versions did not write down which issues a call was about. */
function spentFor({ calls, codesOf }: Material, code: string) {
  const all = calls.map((call) => ({ ...call, codes: call.codes ?? [...codesOf(call.key)] }))
  const { cost_usd, cost_partial = false, tokens } = rounded(spentOnIssue(all, code))
  return { cost_usd, cost_partial, tokens }
}

function stateOf(outcome: IssueFixResult | undefined): IssueState {
  if (outcome === undefined) return 'open'
  if (outcome.false_positive) return 'false_positive'
  if (outcome.settled) return 'settled'
  const { status } = outcome
  return status === 'completed' ? 'fixed' : status === 'failed' || status === 'skipped' ? status : 'open'
}

/** The one that the session took over, else the last; where the replies are gone, what is left of it in the store. */
function claimOf(claims: readonly FixClaim[], { issue: { issue_code }, outcome }: SessionIssue): FixClaim | null {
  const { changes_made, fix_self_score: confidence } = outcome ?? {}
  const found = claims.findLast(({ changes_summary }) => changes_summary === changes_made) ?? claims.at(-1)
  if (found || !changes_made) return found ?? null
  return { issue_code, status: 'fixed', changes_summary: changes_made, self_evaluation: { confidence, risks: [] } }
}

/** On the tree that holds the issue: of what is committed no other run counts, of an attempt at worst its last round's. */
function verificationOf(
  { gates, verificationIn }: Material,
  stages: ReadonlySet<string>,
  committed: string | undefined,
  challenges: readonly Challenge[],
): IssueVerification | null {
  const runs = gates.filter(({ call, found }) => found.verification && stages.has(stageOf(call)))
  const tree = committed ?? challenges.at(-1)?.tree
  const same = runs.findLast(({ found }) => found.tree === tree)
  const last = () =>
    lastOn(
      runs,
      runs.findLast(({ call }) => /\.(i\d+|extra)\.verify$/.test(call)),
    )
  const after = same ?? (committed === undefined ? last() : undefined)
  return after ? verificationIn(after) : null
}
