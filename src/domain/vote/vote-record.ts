// What a voter replies, and the votes of a session as they are kept.
import { z } from 'zod'
import { Severity } from '../issue/issue.ts'
import { ReportedFinding, ReviewFinding } from '../review/finding.ts'
import { NotReviewed } from '../review/replies.ts'
import { Ballot, Voter, VoteVerdict } from './ballot.ts'
import { CommentPlace } from './comment-place.ts'
import { VoteSubject } from './vote-subject.ts'

export const VoteReply = z.object({
  /** The commit that was voted on. */
  head: z.string(),
  reviewed: z.array(z.string()),
  not_reviewed: z.array(NotReviewed).default([]),
  findings: z.array(ReportedFinding),
  feedback: z.string(),
  verdict_text: z.string(),
  vote: z.number().min(0).max(100),
})
export type VoteReply = z.infer<typeof VoteReply>

/** A vote that counts, with its findings at places that were checked. */
export const CastVote = VoteReply.extend({
  voter: Voter,
  model: z.string(),
  vendor: z.string(),
  findings: z.array(ReviewFinding),
})
export type CastVote = z.infer<typeof CastVote>

const FindingReport = z.object({ voter: Voter, finding: ReviewFinding })
export type FindingReport = z.infer<typeof FindingReport>

export const MergedFinding = z.object({
  /** `F001` and so on: first what both voters report, then by severity. */
  id: z.string(),
  severity: Severity,
  /** The first one is shown; the others report the same. */
  reports: z.tuple([FindingReport], FindingReport),
  /** Absent if the change does not show its lines. */
  comment_at: CommentPlace.optional(),
})
export type MergedFinding = z.infer<typeof MergedFinding>

/** Everything about the votes of a session; an artifact. */
export const VoteRecord = z.object({
  session_id: z.string(),
  subject: VoteSubject,
  votes: z.array(CastVote),
  findings: z.array(MergedFinding),
})
export type VoteRecord = z.infer<typeof VoteRecord>

/** The report as JSON, as far as posting needs it: another machine may post what this one has found. */
export const VoteFile = VoteRecord.extend({
  session_id: z.string().regex(/^fx-[a-z0-9]+$/),
  is_over: z.literal(true),
  verdict: VoteVerdict,
  mean: z.number().nullable(),
  reasons: z.array(z.string()),
  ballots: z.array(Ballot),
  votes: z.array(CastVote.omit({ findings: true })),
})
export type VoteFile = z.infer<typeof VoteFile>

const Count = z.number().int().nonnegative()

/** The votes in the result of their session. */
export const VoteSummary = z.object({
  verdict: VoteVerdict,
  /** Absent without a verdict. */
  mean: z.number().optional(),
  /** Why there is no verdict. */
  reasons: z.array(z.string()),
  ballots: z.array(Ballot),
  base: z.string(),
  head: z.string(),
  findings: Count,
  /** Reported by both voters. */
  shared: Count,
  record_ref: z.string(),
})
export type VoteSummary = z.infer<typeof VoteSummary>
