// A session's record and its result, with the field names of the source documents, so that scripts for those read ours.

import { z } from 'zod'
import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.ts'
import { FIX_CODE_LIMIT, IssueCode } from '../issue/issue.ts'
import { IssuePlan } from '../plan/brief.ts'
import { ReviewSummary } from '../review/review-record.ts'
import { FindingsEnd } from '../review-fix/leftover.ts'
import type { Settings } from '../settings/schema.ts'
import { QualityScores } from '../stage/gating-score.ts'
import { VoteSummary } from '../vote/vote-record.ts'
import { FailureClass } from './failure.ts'
import { SessionKind } from './session-kind.ts'
import { TraceContext } from './trace-context.ts'

export const FixStatus = z.enum([
  'pending',
  'validating',
  'analyzing',
  'awaiting_clarification',
  'generating',
  'applying',
  'committing',
  'completed',
  'failed',
  'skipped',
  'partial',
  'cancelled',
])
export type FixStatus = z.infer<typeof FixStatus>

const ENDED: ReadonlySet<FixStatus> = new Set(['completed', 'failed', 'skipped', 'partial', 'cancelled'])
export const ENDED_STATUSES: readonly FixStatus[] = [...ENDED]

export function hasEnded(status: FixStatus): boolean {
  return ENDED.has(status)
}

const Percent = z.number().min(0).max(100)
const Money = z.number().nonnegative()
const Count = z.number().int().nonnegative()
const Timestamp = z.iso.datetime()

/** A commit in a row of commits that was judged as one tree: the last one's. */
export const CommitTrain = z.object({ place: Count, of: Count, tree: z.string() })
export type CommitTrain = z.infer<typeof CommitTrain>

export const IssueFixResult = z.object({
  issue_id: z.string(),
  issue_code: IssueCode,
  status: FixStatus,
  commit_sha: z.string().optional(),
  commit_message: z.string().optional(),
  /** Its commit's place among those of a stage, whose last tree was judged; absent if the commit is that tree. */
  train: CommitTrain.optional(),
  /** The gates that proved the committed fix; empty if none did. */
  proven_by: z.array(z.enum(['challenger', 'checks'])).optional(),
  /** Why none of the operator's commands proves the committed fix. */
  unproven: z.string().optional(),
  changes_made: z.string().optional(),
  error: z.string().optional(),
  fix_code: z.string().max(FIX_CODE_LIMIT).optional(),
  fix_explanation: z.string().optional(),
  fix_files_modified: z.array(z.string()),
  /** Modified files that no finding of the session names. */
  fix_files_outside: z.array(z.string()).optional(),
  false_positive: z.boolean(),
  fix_self_score: Percent.optional(),
  fix_gemini_score: Percent.optional(),
  quality_scores: QualityScores.optional(),
  weighted_score: Percent.optional(),
  iterations: Count,
  /** Its share of the cost of its agent calls. */
  cost_usd: Money.optional(),
  cost_partial: z.literal(true).optional(),
  tokens: Count.optional(),
  /** Skipped because there was nothing to do: already resolved, merged, ignored or a duplicate, or an agreed false positive. */
  settled: z.literal(true).optional(),
})
export type IssueFixResult = z.infer<typeof IssueFixResult>

export const SessionCommit = z.object({
  sha: z.string(),
  message: z.string(),
  issue_codes: z.array(IssueCode),
  train: CommitTrain.optional(),
})
export type SessionCommit = z.infer<typeof SessionCommit>

/** The reason why a session ended; the class is absent if nothing failed. */
export const SessionEnding = z.object({
  class: FailureClass.optional(),
  reason: z.string(),
  /** For programs, where what ended it has one. */
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).optional(),
})
export type SessionEnding = z.infer<typeof SessionEnding>

export const FixSessionResult = z.object({
  session_id: z.string(),
  /** Absent where issues are fixed. */
  kind: SessionKind.optional(),
  repository_id: z.string(),
  task_id: z.string(),
  branch_name: z.string().nullable(),
  status: FixStatus,
  issues_requested: Count,
  issues_fixed: Count,
  issues_failed: Count,
  issues_skipped: Count,
  results: z.array(IssueFixResult),
  commits: z.array(SessionCommit),
  /** The known part of the cost. */
  cost_usd: Money,
  /** A part of the cost is unknown: a model without a price, or an agent call that was lost. */
  cost_partial: z.literal(true).optional(),
  tokens: Count.optional(),
  duration_ms: Count,
  ending: SessionEnding.optional(),
  /** The issues whose commits no command proves, where `verification.unproven` refuses that. */
  unproven_refused: z.array(IssueCode).optional(),
  /** Nothing started: there are no findings, or no iteration is allowed. No check ran, so nothing has passed. */
  skipped: z.literal(true).optional(),
  /** Of a session that reviews. */
  review: ReviewSummary.optional(),
  /** What became of each finding, where attempts are limited (profile review-fix). */
  findings: FindingsEnd.optional(),
  /** Of two votes on a change, which fix nothing. */
  votes: VoteSummary.optional(),
})
export type FixSessionResult = z.infer<typeof FixSessionResult>

/** The number of issues that need nobody any more: fixed now, false positives, or done before. */
export function countDoneIssues(results: readonly IssueFixResult[]): number {
  return results.filter(({ status, settled }) => status === 'completed' || settled).length
}

export const WaitingKind = z.enum(['limit', 'clarification', 'plan', 'scope', 'branch', 'worker', 'pause'])
export type WaitingKind = z.infer<typeof WaitingKind>

const FOR_PEOPLE: ReadonlySet<WaitingKind> = new Set(['clarification', 'plan', 'scope', 'pause'])

/** Whether only a person can end the wait. Then the session needs no instance until somebody answers. */
export function isWaitingForPerson({ waiting }: Pick<SessionRecord, 'waiting'>): boolean {
  return waiting !== undefined && FOR_PEOPLE.has(waiting.kind)
}

/** The current wait of a session. `until` is absent if it has no known end. */
export const SessionWaiting = z.object({
  kind: WaitingKind,
  reason: z.string(),
  since: Timestamp,
  until: Timestamp.optional(),
})
export type SessionWaiting = z.infer<typeof SessionWaiting>

const OpenQuestion = z.object({
  id: z.string(),
  issue_code: IssueCode.optional(),
  question: z.string(),
  context: z.string(),
})

const FileInQuestion = z.object({
  path: z.string(),
  why: z.string(),
  issue_codes: z.array(IssueCode),
})

/** The open request to a person, with all they need to decide. */
export const OpenDecision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('clarification'), request: z.string(), questions: z.array(OpenQuestion) }),
  z.object({ kind: z.literal('plan'), request: z.string() }),
  z.object({
    kind: z.literal('scope'),
    request: z.string(),
    files: z.array(FileInQuestion),
    /** The number of further files; the diff has them all. */
    more: z.number().int().positive().optional(),
    /** The artifact with the changes to these files. */
    diff_ref: z.string().optional(),
  }),
])
export type OpenDecision = z.infer<typeof OpenDecision>

/** The plan as it stands: batches in order, and what each issue's fixer gets besides the issue. */
export const SessionPlan = z.object({
  stages: z.array(z.object({ batches: z.array(z.object({ label: z.string(), steps: z.array(z.array(IssueCode)) })) })),
  issues: z.record(IssueCode, IssuePlan.extend({ note: z.string().optional() })),
  /** Corrections of the planner's order and the like. */
  remarks: z.array(z.string()),
  approved_by: z.string().optional(),
})
export type SessionPlan = z.infer<typeof SessionPlan>

/** Who started a session. The name is a claim unless a door of ours has checked it. */
export const SessionStarter = z.object({ by: z.string(), from: z.string(), checked: z.boolean() })
export type SessionStarter = z.infer<typeof SessionStarter>

export const SessionRecord = z.object({
  session_id: z.string(),
  kind: SessionKind,
  workflow_id: z.string(),
  run_id: z.string().optional(),
  /** The idempotency key: two starts with the same key mean the same session while it lives. */
  key: z.string(),
  repository_id: z.string(),
  /** The name and the folder that the person's repository has now. */
  repository_name: z.string(),
  repository: z.string(),
  task_id: z.string(),
  branch_name: z.string().optional(),
  base_commit: z.string().optional(),
  status: FixStatus,
  /** The effective settings. They were checked when the session started, and are not parsed again. */
  settings: z.custom<Settings>((value) => typeof value === 'object' && value !== null),
  user_notes: z.string().optional(),
  options: z.record(z.string(), z.unknown()),
  /** Absent where an order of Temporal did. */
  started_by: SessionStarter.optional(),
  /** Of the request that started it; the session's own span is in it. */
  trace: TraceContext.optional(),
  issues_requested: Count,
  issues_fixed: Count,
  issues_failed: Count,
  issues_skipped: Count,
  result: FixSessionResult.optional(),
  ending: SessionEnding.optional(),
  waiting: SessionWaiting.optional(),
  decision: OpenDecision.optional(),
  plan: SessionPlan.optional(),
  cost_usd: Money,
  started_at: Timestamp,
  updated_at: Timestamp,
  ended_at: Timestamp.optional(),
})
export type SessionRecord = z.infer<typeof SessionRecord>
