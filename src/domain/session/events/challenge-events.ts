// The second opinion on a tree.
import { z } from 'zod'
import { QualityScores } from '../../stage/gating-score.ts'
import { defineEvent, type EventSubject, eventData } from './define-event.ts'
import { Texts } from './limit-lists.ts'

const EVALUATING = defineEvent(
  'fix_challenger_evaluating',
  eventData({ codes: Texts, tree: z.string(), diff_characters: z.number() }),
  ({ codes, diff_characters }) => `${codes.join(', ')} · the diff has ${diff_characters} characters`,
)

const Score = eventData({
  kind: z.literal('score'),
  score: z.number(),
  /** The issue reaches the threshold, and no blocker is open. */
  solved: z.boolean(),
  feedback: z.string(),
  blockers: Texts,
  quality_scores: QualityScores.optional(),
  improvements_needed: Texts,
})

/** The verdict on a claim that there is nothing to fix. */
const Claim = eventData({
  kind: z.literal('claim'),
  false_positive_agreed: z.boolean(),
  /** No verdict could be used. */
  unjudged: z.literal(true).optional(),
  feedback: z.string(),
  blockers: Texts,
})

const Unusable = eventData({ kind: z.literal('unusable') })

const WholeDiff = eventData({ kind: z.literal('whole'), whole: z.number(), feedback: z.string() })

const ChallengerResult = z.discriminatedUnion('kind', [Score, Claim, Unusable, WholeDiff])
export type ChallengerResult = z.infer<typeof ChallengerResult>

const RESULT = defineEvent('fix_challenger_result', ChallengerResult, (result) =>
  'feedback' in result && result.feedback ? `${describeResult(result)} · ${result.feedback}` : describeResult(result),
)

function describeResult(result: ChallengerResult): string {
  switch (result.kind) {
    case 'score':
      return `${result.score} · ${result.solved ? 'solved' : 'not solved'}`
    case 'claim':
      if (result.unjudged) return 'no usable verdict: not agreed'
      return `false positive ${result.false_positive_agreed ? 'agreed' : 'not agreed'}`
    case 'unusable':
      return 'no usable verdict: not approved'
    case 'whole':
      return `whole diff: ${result.whole}`
  }
}

export const CHALLENGE_EVENTS = [EVALUATING, RESULT] as const

export interface EvaluatingFacts {
  readonly stepId: string
  readonly codes: readonly string[]
  readonly tree: string
  readonly diffCharacters: number
}

export function fixChallengerEvaluating({ stepId, codes, tree, diffCharacters }: EvaluatingFacts) {
  return EVALUATING.create(`${stepId}/evaluating`, { codes, tree, diff_characters: diffCharacters })
}

/** On one issue, or on the whole diff. */
export function fixChallengerResult(stepId: string, result: ChallengerResult, subject: EventSubject = {}) {
  const key = result.kind === 'whole' ? `${stepId}/whole` : `${stepId}/${subject.issue_code}/result`
  return RESULT.create(key, result, subject)
}
