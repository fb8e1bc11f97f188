// One issue with its evidence: what was claimed, what the challenger said, what the commands said before and after, what it cost.
import { compareRuns, verdictOfRuns } from '../../domain/evidence.ts'
import type { FixClaim } from '../../domain/reply.ts'
import { gatingScore, weightedScore } from '../../domain/score.ts'
import type { IssueFixResult } from '../../domain/session.ts'
import { keptClaims } from '../../runtime/evidence.ts'
import type { SessionIssue } from '../../store/sessions.ts'
import { changedBy, isOfFixer } from './diffs.ts'
import { type Gate, type Material, stageOf } from './material.ts'
import type { CallEvidence, Challenge, Claim, IssueReport, IssueState, IssueVerification } from './record.ts'

export async function issueReport(material: Material, own: SessionIssue): Promise<IssueReport> {
  const { issue, outcome } = own
  const code = issue.issue_code
  const calls = material.calls.filter(({ key }) => material.codesOf(key).includes(code))
  const state = stateOf(outcome)
  const claims = await claimsOf(material, calls, code)
  const claim = claims.findLast(({ changes_summary }) => changes_summary === outcome?.changes_made) ?? claims.at(-1)
  const { diff, tree } = await changedBy(material, own, [claim?.file_modified ?? []].flat())
  const challenges = material.gates.flatMap((gate) => challengeOf(gate, code))
  const fixing = calls.filter(({ key }) => isOfFixer(key))
  const stages = new Set(fixing.map(({ key }) => stageOf(key)))
  const named = new Set(material.issues.map((each) => each.issue.file))
  return {
    issue_code: code,
    issue_id: issue.issue_id,
    title: issue.title,
    description: issue.description,
    file: issue.file,
    line: issue.line ?? null,
    severity: issue.severity,
    category: issue.category ?? null,
    state,
    reason: state === 'fixed' ? null : (outcome?.error ?? issue.resolution_note ?? null),
    outcome: outcome ?? null,
    unproven: state === 'fixed' && trailersOf(outcome).some((line) => line.startsWith('Fixwright-Unproven:')),
    diff,
    outside_files: (diff?.files ?? []).filter((file) => !named.has(file)),
    claim: claim ? claimOf(claim) : claimInStore(outcome),
    challenges,
    verification: verificationOf(material, stages, tree ?? challenges.at(-1)?.tree, tree !== undefined),
    iterations: outcome?.iterations ?? new Set(fixing.map(({ key }) => key.replace(/\.(repair|w\d+)\b/g, ''))).size,
    cost_usd:
      outcome?.cost_usd ??
      calls.reduce((sum, { key, cost_usd = 0 }) => sum + cost_usd / material.codesOf(key).length, 0),
    calls: calls.map(evidenceOf),
  }
}

function stateOf(outcome: IssueFixResult | undefined): IssueState {
  if (outcome === undefined) return 'open'
  if (outcome.false_positive) return 'false_positive'
  if (outcome.settled) return 'settled'
  const { status } = outcome
  return status === 'completed' ? 'fixed' : status === 'failed' || status === 'skipped' ? status : 'open'
}

/** The last lines of its commit's message. */
export function trailersOf(outcome: Pick<IssueFixResult, 'commit_message'> | null | undefined): string[] {
  return (outcome?.commit_message ?? '').trimEnd().split('\n\n').at(-1)?.split('\n') ?? []
}

async function claimsOf({ home }: Material, calls: Material['calls'], code: string): Promise<FixClaim[]> {
  const claims: FixClaim[] = []
  for (const { key, reply_ref } of calls) {
    if (!isOfFixer(key) || reply_ref === undefined) continue
    claims.push(...(await keptClaims(home, reply_ref)).filter(({ issue_code }) => issue_code === code))
  }
  return claims
}

function claimOf({ status, changes_summary, self_evaluation }: FixClaim): Claim {
  const { confidence = null, risks = [] } = self_evaluation ?? {}
  return { status, summary: changes_summary, confidence, risks }
}

/** What is left of it where the reply is gone. */
function claimInStore(outcome: IssueFixResult | undefined): Claim | null {
  if (!outcome?.changes_made) return null
  return { status: 'fixed', summary: outcome.changes_made, confidence: outcome.fix_self_score ?? null, risks: [] }
}

function challengeOf({ call, found: { tree, verdicts } }: Gate, code: string): Challenge[] {
  const verdict = verdicts?.[code]
  if (!verdict) return []
  const { quality_scores: quality, feedback, improvements_needed, points } = verdict
  const score = gatingScore(verdict)
  return [
    {
      call,
      tree,
      score: score ?? null,
      weighted_score: (quality && weightedScore(quality, score)) ?? null,
      quality_scores: quality ?? null,
      feedback,
      improvements_needed,
      points,
    },
  ]
}

/** On the tree that holds the issue: of what is committed no other run counts, of an attempt at worst its last round's. */
function verificationOf(
  { gates, strict }: Material,
  stages: ReadonlySet<string>,
  tree: string | undefined,
  isCommitted: boolean,
): IssueVerification | null {
  const runs = gates.filter(({ call, found }) => found.verification && stages.has(stageOf(call)))
  const same = runs.findLast(({ found }) => found.tree === tree)
  const after = same ?? (isCommitted ? undefined : runs.findLast(({ call }) => /\.(i\d+|extra)\.verify$/.test(call)))
  return after ? verificationIn(gates, after, strict) : null
}

export function verificationIn(gates: readonly Gate[], { call, found }: Gate, strict: boolean): IssueVerification {
  const base = gates.find((gate) => gate.call === 'base')?.found.verification ?? []
  const commands = compareRuns(base, found.verification ?? [])
  return { call, tree: found.tree, verdict: verdictOfRuns(commands, strict), commands }
}

function evidenceOf(call: Material['calls'][number]): CallEvidence {
  const { key, role, attempt, state, model, cost_usd, duration_ms, prompt_ref, reply_ref, transcript_ref } = call
  return {
    key,
    role,
    attempt,
    state,
    model: model ?? null,
    cost_usd: cost_usd ?? null,
    duration_ms: duration_ms ?? null,
    prompt_ref: prompt_ref ?? null,
    reply_ref: reply_ref ?? null,
    transcript_ref: transcript_ref ?? null,
  }
}
