// Merges the challenger's replies into a verdict for each issue and claim, an outcome for the workflow, and events.
import { findVerdict, listUnscoredCodes } from '../../agents/replies/validate-reply.ts'
import { type ChallengerResult, fixChallengerResult } from '../../domain/session/events/challenge-events.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import { hashJson } from '../../domain/session/idempotency-key.ts'
import { gatingScore, openBlockers } from '../../domain/stage/gating-score.ts'
import type { ChallengeReply, ChallengeVerdict } from '../../domain/stage/reply-schemas.ts'
import type { ChallengeInput, ChallengeOutcome } from '../../domain/workflow-types/index.ts'
import { issueEventFields, type Session } from '../context.ts'

export interface MergedVerdicts {
  readonly verdicts: Record<string, ChallengeVerdict>
  whole?: ChallengeReply['whole']
}

export function falsePositiveClaims({ claims = [] }: ChallengeInput): string[] {
  return claims.flatMap(({ codes }) => codes)
}

export function challengedCodes(input: ChallengeInput): string[] {
  return [...input.codes, ...falsePositiveClaims(input)]
}

/** An open blocker overrides the agreement, whatever else the reply says. */
function isFalsePositiveAgreed(verdict: ChallengeVerdict | undefined): boolean {
  return verdict?.false_positive_agreed === true && openBlockers(verdict.points).length === 0
}

export interface VerdictRequest {
  readonly input: ChallengeInput
  readonly whole: boolean
  /** Issues whose changes can hardly be about them, and what those touch instead. */
  readonly offTarget: ReadonlyMap<string, string>
}

/** A score alone does not carry a change that can hardly be about its issue. */
function requireReason(code: string, verdict: ChallengeVerdict, offTarget: string | undefined): ChallengeVerdict {
  if (offTarget === undefined || verdict.why_elsewhere?.trim()) return verdict
  const text = `The change ${offTarget}, and nothing says how it resolves ${code} all the same.`
  const point = { id: `${code}-elsewhere`, blocker: true, text, settled: false }
  const feedback = [verdict.feedback, text].filter(Boolean).join(' ')
  return { ...verdict, feedback, points: [...verdict.points.filter(({ id }) => id !== point.id), point] }
}

/** Takes the usable verdicts and returns what is still missing. The first usable verdict on an issue stands. */
export function mergeVerdict(
  reply: ChallengeReply,
  codes: readonly string[],
  merged: MergedVerdicts,
  { input, whole, offTarget }: VerdictRequest,
): string | undefined {
  const denied = falsePositiveClaims(input)
  // A claim comes without changes, so an agreed one needs no score.
  const isAnswered = (code: string) => denied.includes(code) && isFalsePositiveAgreed(findVerdict(reply, code))
  const missing = listUnscoredCodes(reply, codes).filter((code) => !isAnswered(code))
  for (const code of codes) {
    const verdict = findVerdict(reply, code)
    if (verdict && !missing.includes(code)) merged.verdicts[code] ??= requireReason(code, verdict, offTarget.get(code))
  }
  if (reply.whole) merged.whole ??= reply.whole
  if (missing.length > 0) return `there is no score for ${missing.join(', ')}`
  return whole && !merged.whole ? 'there is no score for the whole diff' : undefined
}

export function toChallengeOutcome(
  input: ChallengeInput,
  tree: string,
  { verdicts, whole }: MergedVerdicts,
): ChallengeOutcome {
  const { codes } = input
  const agreed = falsePositiveClaims(input).filter((code) => isFalsePositiveAgreed(verdicts[code]))
  const issues: Record<string, { score: number; blockers: number }> = {}
  for (const code of codes) {
    const verdict = verdicts[code]
    const score = verdict && gatingScore(verdict)
    if (verdict && score !== undefined) issues[code] = { score, blockers: openBlockers(verdict.points).length }
  }
  const words = challengedCodes(input).map((code) => [verdicts[code]?.feedback, verdicts[code]?.improvements_needed])
  return {
    tree,
    issues,
    unchallenged: codes.filter((code) => issues[code] === undefined),
    feedbackKey: hashJson([words, whole?.feedback]).slice(0, 12),
    ...(agreed.length > 0 ? { agreedClaims: agreed } : {}),
    ...(whole ? { wholeDiffScore: whole.score } : {}),
  }
}

/** With `isCut` a failure ended the challenge early, so issues without a verdict get no event. */
export function challengeResultEvents(
  session: Session,
  input: ChallengeInput,
  { verdicts, whole }: MergedVerdicts,
  isCut: boolean,
): NewEvent[] {
  const { stepId } = input
  const floor = session.settings.fix_challenger.solved_threshold
  const denied = falsePositiveClaims(input)
  const codes = challengedCodes(input).filter((code) => !isCut || verdicts[code] !== undefined)
  const events = codes.map((code) => {
    const verdict = verdicts[code]
    const result = denied.includes(code) ? toClaimResult(verdict) : toFixResult(verdict, floor)
    return fixChallengerResult(stepId, result, issueEventFields(session, code))
  })
  if (!whole) return events
  const { score, feedback = '' } = whole
  return [...events, fixChallengerResult(stepId, { kind: 'whole', whole: score, feedback })]
}

function toFixResult(verdict: ChallengeVerdict | undefined, floor: number): ChallengerResult {
  const score = verdict && gatingScore(verdict)
  if (!verdict || score === undefined) return { kind: 'unusable' }
  const { feedback, quality_scores, improvements_needed } = verdict
  const blockers = openBlockers(verdict.points).map(({ text }) => text)
  const solved = score >= floor && blockers.length === 0
  return { kind: 'score', score, solved, feedback, blockers, quality_scores, improvements_needed }
}

function toClaimResult(verdict: ChallengeVerdict | undefined): ChallengerResult {
  if (!verdict) return { kind: 'claim', false_positive_agreed: false, unjudged: true, feedback: '', blockers: [] }
  const blockers = openBlockers(verdict.points).map(({ text }) => text)
  return { kind: 'claim', false_positive_agreed: isFalsePositiveAgreed(verdict), feedback: verdict.feedback, blockers }
}
