// Schemas of the agents' replies, with the field names of the source documents. They are permissive about omissions, strict about what
// decides: a score is a number between 0 and 100, or it is absent.
import { z } from 'zod'
import { IssuePlan } from '../plan/brief.ts'
import { DisproofReply, ReviewReply } from '../review/replies.ts'
import { VoteReply } from '../vote/vote-record.ts'
import { ChallengePoint, QualityScores } from './gating-score.ts'

const Percent = z.number().min(0).max(100)

export const FixClaim = z.object({
  issue_code: z.string(),
  status: z.enum(['fixed', 'skipped', 'blocked', 'deferred', 'false_positive', 'failed']),
  file_modified: z.union([z.string(), z.array(z.string())]).nullish(),
  changes_summary: z.string().default(''),
  self_evaluation: z
    .object({
      confidence: Percent.optional(),
      completeness: z.string().optional(),
      risks: z.array(z.string()).default([]),
    })
    .optional(),
})
export type FixClaim = z.infer<typeof FixClaim>

export const FixReply = z.object({ results: z.array(FixClaim) })
export type FixReply = z.infer<typeof FixReply>

export const ChallengeVerdict = z.object({
  feedback: z.string().default(''),
  points: z.array(ChallengePoint).default([]),
  improvements_needed: z.array(z.string()).default([]),
  /** How a change resolves an issue whose own place it does not touch. */
  why_elsewhere: z.string().optional(),
  /** The challenger agrees with a false-positive claim. */
  false_positive_agreed: z.boolean().optional(),
  quality_scores: QualityScores.optional(),
  score: Percent.optional(),
  status: z.string().optional(),
})
export type ChallengeVerdict = z.infer<typeof ChallengeVerdict>

export const ChallengeReply = z.object({
  issues: z.record(z.string(), ChallengeVerdict),
  whole: z.object({ score: Percent, feedback: z.string().default('') }).optional(),
})
export type ChallengeReply = z.infer<typeof ChallengeReply>

export const BranchReply = z.object({ branch: z.string().min(1).max(120) })
export type BranchReply = z.infer<typeof BranchReply>

/** The subject of each commit, by the code of its first issue. */
export const CommitReply = z.object({ subjects: z.record(z.string(), z.string().min(1).max(300)) })
export type CommitReply = z.infer<typeof CommitReply>

/** A reply is ready only if it says so. */
export const ClarifyReply = z.object({
  has_questions: z.boolean().optional(),
  questions: z
    .array(
      z.object({
        id: z.string().default(''),
        question: z.string().min(1).max(2000),
        context: z.string().max(4000).default(''),
        /** Absent if it is about all issues. */
        issue_code: z.string().nullish(),
      }),
    )
    .max(50)
    .default([]),
  message: z.string().default(''),
  ready_to_fix: z.boolean(),
})
export type ClarifyReply = z.infer<typeof ClarifyReply>

export const PlanReply = z.object({
  issues: z.array(IssuePlan.extend({ issue_code: z.string() })),
  /** The planner's order, a wish: our rules compute the real one. */
  execution_steps: z.array(z.array(z.string())).nullish(),
})
export type PlanReply = z.infer<typeof PlanReply>

/** A planner's reply as stored. `attempt` counts the session's plans, as a rejected one is made again. */
export const StoredPlan = PlanReply.extend({ attempt: z.number() })
export type StoredPlan = z.infer<typeof StoredPlan>

export const REPLY_SCHEMAS = {
  fix: FixReply,
  claim: FixClaim,
  challenge: ChallengeReply,
  clarify: ClarifyReply,
  plan: PlanReply,
  branch: BranchReply,
  commit: CommitReply,
  review: ReviewReply,
  disproof: DisproofReply,
  vote: VoteReply,
} as const
export type ReplyName = keyof typeof REPLY_SCHEMAS
export type ReplyOf<Name extends ReplyName> = z.infer<(typeof REPLY_SCHEMAS)[Name]>
