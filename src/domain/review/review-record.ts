// A review as it is stored: what was reviewed, by whom, every finding with the state in which it ended.
import { z } from 'zod'
import { Severity } from '../issue/issue.ts'
import { isWhole } from './check-coverage.ts'
import { ClassifiedFinding, FindingVerdict, ReviewFinding } from './finding.ts'
import { EarlierFindingState, ExpertEntry, NotReviewed } from './replies.ts'

/** A review as it was taken in, before a verifier has looked at it. It is stored between two steps of its session. */
export const ReportedReview = z.object({
  findings: z.array(ReviewFinding),
  /** Findings that need no verifier, by id: merged ones, and dismissed ones that brought nothing new. */
  decided: z.record(z.string(), FindingVerdict),
  groups: z.array(z.object({ description: z.string() })),
  experts: z.array(ExpertEntry),
  reviewed: z.array(z.string()),
  not_reviewed: z.array(NotReviewed),
  earlier: z.array(EarlierFindingState),
})
export type ReportedReview = z.infer<typeof ReportedReview>

export const ReviewRecord = z.object({
  session_id: z.string(),
  /** The reviewed commit, and the commit that it was compared with. */
  head: z.string(),
  base: z.string(),
  experts: z.array(z.object({ name: z.string(), read: z.array(z.string()), found: z.number().int().nonnegative() })),
  reviewed: z.array(z.string()),
  not_reviewed: z.array(NotReviewed),
  groups: z.array(z.object({ description: z.string() })),
  findings: z.array(ClassifiedFinding),
  /** What became of the findings of earlier reviews. */
  earlier: z.array(EarlierFindingState).default([]),
})
export type ReviewRecord = z.infer<typeof ReviewRecord>

const Count = z.number().int().nonnegative()

/** A review in the result of its session. The record itself is an artifact. */
export const ReviewSummary = z.object({
  head: z.string(),
  base: z.string(),
  files_changed: Count,
  files_reviewed: Count,
  not_reviewed: z.array(NotReviewed),
  experts: z.array(z.string()),
  confirmed: Count,
  refuted: Count,
  unverified: Count,
  merged: Count,
  /** The number of confirmed findings that became issues, and their task. */
  imported: z.object({ task_id: z.string(), issues: Count }).optional(),
  /** Confirmed findings that can't be fixed here, because their paths leave the repository. */
  outside: z
    .array(z.object({ id: z.string(), title: z.string(), failure: z.string(), file: z.string(), severity: Severity }))
    .optional(),
  /** The artifact that holds the record; absent if the review failed. */
  record_ref: z.string().optional(),
})
export type ReviewSummary = z.infer<typeof ReviewSummary>

/** Whether the whole change was reviewed, and nothing that was found stands or is still open. */
export function isClean({ confirmed, unverified, not_reviewed, record_ref }: ReviewSummary): boolean {
  return record_ref !== undefined && confirmed + unverified === 0 && isWhole({ not_reviewed })
}
