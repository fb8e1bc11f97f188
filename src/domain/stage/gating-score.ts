// The score decides; the status that the model writes beside it is only kept. Without a parsed score there is no approval.
import { z } from 'zod'

const Percent = z.number().min(0).max(100)

export const QualityScores = z
  .object({
    correctness: Percent.optional(),
    safety: Percent.optional(),
    minimality: Percent.optional(),
    style_consistency: Percent.optional(),
    style: Percent.optional(),
  })
  .transform(({ style, ...scores }) => ({ ...scores, style_consistency: scores.style_consistency ?? style }))
export type QualityScores = z.infer<typeof QualityScores>

export const ChallengePoint = z.object({
  id: z.string(),
  blocker: z.boolean().default(false),
  text: z.string().default(''),
  settled: z.boolean().default(false),
})
export type ChallengePoint = z.infer<typeof ChallengePoint>

const WEIGHTS = { correctness: 0.4, safety: 0.3, minimality: 0.15, style_consistency: 0.15 } as const

/** A missing dimension counts as the issue's own score; undefined if that is missing too. */
export function weightedScore(quality: QualityScores, score: number | undefined): number | undefined {
  let sum = 0
  for (const dimension of Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]) {
    const value = quality[dimension] ?? score
    if (value === undefined) return undefined
    sum += value * WEIGHTS[dimension]
  }
  return Math.round(sum * 100) / 100
}

export function openBlockers(points: readonly ChallengePoint[]): ChallengePoint[] {
  return points.filter((point) => point.blocker && !point.settled)
}

/** The score that decides: the issue's own, else the weighted one. */
export function gatingScore(verdict: {
  readonly score?: number | undefined
  readonly quality_scores?: QualityScores | undefined
}): number | undefined {
  return verdict.score ?? (verdict.quality_scores && weightedScore(verdict.quality_scores, undefined))
}
