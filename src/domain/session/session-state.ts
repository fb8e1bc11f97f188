// What is known of a session, as `status --json`, scripts and the API show it: first the figures that a list has, then issues and
// decisions.
import { z } from 'zod'
import { Budgets } from '../budget/limits.ts'
import { IssueCode, IssueStatus } from '../issue/issue.ts'
import { ReviewSummary } from '../review/review-record.ts'
import { Sandbox } from '../settings/sandbox-level.ts'
import { VoteSummary } from '../vote/vote-record.ts'
import { FixStatus, OpenDecision, SessionEnding, SessionPlan, SessionWaiting } from './session.ts'
import { SessionKind } from './session-kind.ts'

const [Clarification, , Scope] = OpenDecision.options
const Count = z.number().int().nonnegative()

/** How a repository's settings file was used at the session's start, and whether the operator had trusted it. */
const RepositoryFileUse = z.object({
  label: z.string(),
  trusted: z.boolean(),
  /** The settings in it that do not count. */
  ignored: z.array(z.string()).readonly(),
})
export type RepositoryFileUse = z.infer<typeof RepositoryFileUse>

export const SessionOverview = z.object({
  session_id: z.string(),
  kind: SessionKind,
  workflow_id: z.string(),
  run_id: z.string().nullable(),
  /** Its page in Temporal's UI; null if the home's own server does not run, or `temporal.ui_url` does not say where yours is. */
  temporal_url: z.string().nullable(),
  status: FixStatus,
  /** With the command by which a person ends the wait. */
  waiting: SessionWaiting.extend({ answer: z.string().optional() }).nullable(),
  repository_id: z.string(),
  repository: z.string(),
  task_id: z.string(),
  branch: z.string().nullable(),
  base: z.string().nullable(),
  counts: z.object({ requested: Count, fixed: Count, failed: Count, skipped: Count }),
  /** What a review found; null before its end, and for other kinds. */
  review: ReviewSummary.nullable(),
  /** What two votes came to; null before their end, and for other kinds. */
  votes: VoteSummary.nullable(),
  /** The known cost. */
  cost_usd: z.number(),
  /** Part of the cost is unknown. */
  cost_partial: z.boolean(),
  tokens: z.number(),
  /** Null if there is no limit. */
  budgets: Budgets.nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  ending: SessionEnding.nullable(),
  repository_file: RepositoryFileUse.nullable(),
})
export type SessionOverview = z.infer<typeof SessionOverview>

const IssueState = z.object({
  issue_code: IssueCode,
  issue_id: z.string(),
  title: z.string(),
  file: z.string(),
  /** The issue's status in the store. */
  status: IssueStatus,
  /** The issue's outcome in this session. */
  outcome: FixStatus.nullable(),
  score: z.number().nullable(),
  iterations: z.number().nullable(),
  commit_sha: z.string().nullable(),
  error: z.string().nullable(),
})
export type IssueState = z.infer<typeof IssueState>

const OpenScope = z.object({
  files: Scope.shape.files.readonly(),
  /** How many more files there are. */
  more: Count,
  /** The diff of these files. */
  diff: z.string(),
})
export type OpenScope = z.infer<typeof OpenScope>

export const SessionState = SessionOverview.extend({
  /** The id of the open decision; a message that carries it is never taken for a later one. */
  request: z.string().nullable(),
  /** The questions without an answer. */
  questions: Clarification.shape.questions.readonly(),
  /** The current plan; `waiting` says whether it awaits approval. */
  plan: SessionPlan.nullable(),
  scope: OpenScope.nullable(),
  issues: z.array(IssueState).readonly(),
  /** The sandbox of its agents; null before the session has begun. */
  sandbox: Sandbox.nullable(),
})
export type SessionState = z.infer<typeof SessionState>
export type OpenQuestion = SessionState['questions'][number]
