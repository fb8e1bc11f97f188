// The second opinion on a tree.
import { z } from 'zod'
import { QualityScores } from '../../stage/gating-score.ts'
import { atStep, defineEvent, type EventSubject, eventData } from './define-event.ts'
import { Texts } from './limit-lists.ts'

export const fixChallengerEvaluating = defineEvent(
  'fix_challenger_evaluating',
  eventData({ codes: Texts, tree: z.string(), diff_characters: z.number() }),
  ({ codes, diff_characters }) => `${codes.join(', ')} · the diff has ${diff_characters} characters`,
  atStep('evaluating'),
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

/** On one issue, or on the whole diff. */
export const fixChallengerResult = defineEvent(
  'fix_challenger_result',
  ChallengerResult,
  (result) =>
    'feedback' in result && result.feedback ? `${describeResult(result)} · ${result.feedback}` : describeResult(result),
  (create) =>
    (stepId: string, result: ChallengerResult, subject: EventSubject = {}) => {
      const key = result.kind === 'whole' ? `${stepId}/whole` : `${stepId}/${subject.issue_code}/result`
      return create(key, result, subject)
    },
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
