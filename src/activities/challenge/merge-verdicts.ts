// What the challenger's answers come to: its verdict on each issue, also from several answers, and whether it agrees that there is
// nothing to fix about an issue. Then what the workflow hears of that, and what is told of it.
import { checkVerdictCoverage, findVerdict } from '../../agents/replies/parse-reply.ts'
import type { ChallengeInput, ChallengeOutcome } from '../../domain/protocol/index.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import { hashJson } from '../../domain/session/idempotency-key.ts'
import type { ChallengeReply, ChallengeVerdict } from '../../domain/stage/agent-replies.ts'
import { gatingScore, openBlockers } from '../../domain/stage/score.ts'
import { issueEventFields, type Session } from '../context.ts'

export interface MergedVerdicts {
  readonly verdicts: Record<string, ChallengeVerdict>
  whole?: ChallengeReply['whole']
}

/** Issues about which nothing was changed, as there is nothing to fix: so says the fixer. */
export function falsePositiveClaims({ claims = [] }: ChallengeInput): string[] {
  return claims.flatMap(({ codes }) => codes)
}

export function challengedCodes(input: ChallengeInput): string[] {
  return [...input.codes, ...falsePositiveClaims(input)]
}

/** A claim that one still has a blocker against is not agreed to, whatever the answer says besides. */
function isFalsePositiveAgreed(verdict: ChallengeVerdict | undefined): boolean {
  return verdict?.false_positive_agreed === true && openBlockers(verdict.points).length === 0
}

/** Takes over what is usable, and says what is still missing. The first usable verdict on an issue stands. */
export function mergeVerdict(
  reply: ChallengeReply,
  codes: readonly string[],
  opinion: MergedVerdicts,
  { input, whole }: { readonly input: ChallengeInput; readonly whole: boolean },
): string | undefined {
  const denied = falsePositiveClaims(input)
  // Where nothing was changed there is nothing that needs a score.
  const isAnswered = (code: string) => denied.includes(code) && isFalsePositiveAgreed(findVerdict(reply, code))
  const missing = checkVerdictCoverage(reply, codes).missing.filter((code) => !isAnswered(code))
  for (const code of codes) {
    const verdict = findVerdict(reply, code)
    if (verdict && !missing.includes(code)) opinion.verdicts[code] ??= verdict
  }
  if (reply.whole) opinion.whole ??= reply.whole
  if (missing.length > 0) return `there is no score for ${missing.join(', ')}`
  return whole && !opinion.whole ? 'there is no score for the whole diff' : undefined
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

/** `isCut`: it could not be asked to the end, so nothing is said of what it did not come to. */
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
  const events = codes.map((code): NewEvent => {
    const verdict = verdicts[code]
    const score = verdict && gatingScore(verdict)
    const about = {
      key: `${stepId}/${code}/result`,
      type: 'fix_challenger_result' as const,
      ...issueEventFields(session, code),
    }
    if (denied.includes(code)) return { ...about, ...describeClaimVerdict(verdict) }
    if (!verdict || score === undefined) return { ...about, message: 'no usable verdict: not approved' }
    const blockers = openBlockers(verdict.points)
    const mark = score >= floor && blockers.length === 0 ? 'solved' : 'not solved'
    return {
      ...about,
      message: `${score} · ${mark}${verdict.feedback ? ` · ${verdict.feedback}` : ''}`,
      data: {
        score,
        blockers: blockers.map((point) => point.text),
        quality_scores: verdict.quality_scores,
        improvements_needed: verdict.improvements_needed,
      },
    }
  })
  if (!whole) return events
  const message = `whole diff: ${whole.score}${whole.feedback ? ` · ${whole.feedback}` : ''}`
  return [...events, { key: `${stepId}/whole`, type: 'fix_challenger_result', message, data: { whole: whole.score } }]
}

/** What came of a claim that there is nothing to fix. */
function describeClaimVerdict(verdict: ChallengeVerdict | undefined): Pick<NewEvent, 'message' | 'data'> {
  const agreed = isFalsePositiveAgreed(verdict)
  const said = verdict ? `false positive ${agreed ? 'agreed' : 'not agreed'}` : 'no usable verdict: not agreed'
  return {
    message: verdict?.feedback ? `${said} · ${verdict.feedback}` : said,
    data: { false_positive_agreed: agreed, blockers: openBlockers(verdict?.points ?? []).map(({ text }) => text) },
  }
}
