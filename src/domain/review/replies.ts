// What the reviewer, its experts and the verifier reply. Field names are those of the source documents: groups of findings.
import { z } from 'zod'
import { Evidence, ReportedFinding } from './finding.ts'

export const NotReviewed = z.object({ path: z.string(), why: z.string().min(1) })
export type NotReviewed = z.infer<typeof NotReviewed>

/** A group holds findings that can be fixed independently: in different files, none of them needing another. */
const FindingGroup = z.object({ description: z.string().default(''), findings: z.array(ReportedFinding) })

/** What an expert read; an expert without findings says so by an empty list. */
export const ExpertEntry = z.object({ name: z.string(), read: z.array(z.string()), found: z.array(z.string()) })
export type ExpertEntry = z.infer<typeof ExpertEntry>

/** A finding of an earlier review of ours. */
export const EarlierFindingState = z.object({
  id: z.string(),
  state: z.enum(['gone', 'still_there']),
  reason: z.string().min(1),
})
export type EarlierFindingState = z.infer<typeof EarlierFindingState>

export const ReviewReply = z.object({
  /** The commit that was reviewed. */
  head: z.string(),
  experts: z.array(ExpertEntry),
  reviewed: z.array(z.string()),
  not_reviewed: z.array(NotReviewed),
  groups: z.array(FindingGroup),
  /** Findings of the experts that say what another one says. */
  merged: z.array(z.object({ id: z.string(), into: z.string(), reason: z.string().default('') })).default([]),
  earlier: z.array(EarlierFindingState).default([]),
})
export type ReviewReply = z.infer<typeof ReviewReply>

/** What an expert hands to the reviewer. */
export const ExpertReply = z.object({ read: z.array(z.string()), findings: z.array(ReportedFinding) })
export type ExpertReply = z.infer<typeof ExpertReply>

export const DisproofReply = z.object({
  verdicts: z.array(
    z.object({
      id: z.string(),
      verdict: z.enum(['confirmed', 'refuted', 'unverified']),
      reason: z.string().min(1),
      evidence: z.array(Evidence).default([]),
    }),
  ),
})
export type DisproofReply = z.infer<typeof DisproofReply>
