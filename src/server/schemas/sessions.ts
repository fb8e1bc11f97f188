// What the API says of sessions, from the domain's own schemas.
import { z } from '@hono/zod-openapi'
import { Budgets } from '../../domain/budget/limits.ts'
import { IssueCode, IssueStatus } from '../../domain/issue/issue.ts'
import { ReviewSummary } from '../../domain/review/review-record.ts'
import { EventFields } from '../../domain/session/events/define-event.ts'
import { EventType } from '../../domain/session/events/index.ts'
import { FixStatus, OpenDecision, SessionEnding, SessionPlan, SessionWaiting } from '../../domain/session/session.ts'
import { SessionKind } from '../../domain/session/session-kind.ts'
import { AgentCallRecord, SessionArtifact } from '../../domain/session/store-records.ts'
import { Sandbox } from '../../domain/settings/sandbox-level.ts'
import { VoteSummary } from '../../domain/vote/vote-record.ts'

const [Clarification, , Scope] = OpenDecision.options
const Count = z.number().int().nonnegative()

const overview = {
  session_id: z.string(),
  kind: SessionKind,
  workflow_id: z.string(),
  run_id: z.string().nullable(),
  temporal_url: z.string().nullable(),
  status: FixStatus,
  waiting: SessionWaiting.extend({ answer: z.string().optional() }).nullable(),
  repository_id: z.string(),
  repository: z.string(),
  task_id: z.string(),
  branch: z.string().nullable(),
  base: z.string().nullable(),
  counts: z.object({ requested: Count, fixed: Count, failed: Count, skipped: Count }),
  review: ReviewSummary.nullable(),
  votes: VoteSummary.nullable(),
  cost_usd: z.number(),
  cost_partial: z.boolean(),
  tokens: z.number(),
  budgets: Budgets.nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  ending: SessionEnding.nullable(),
  repository_file: z
    .object({ label: z.string(), trusted: z.boolean(), ignored: z.array(z.string()).readonly() })
    .nullable(),
}

export const SessionListItem = z.object(overview).openapi('SessionListItem')

const IssueInSession = z.object({
  issue_code: IssueCode,
  issue_id: z.string(),
  title: z.string(),
  file: z.string(),
  status: IssueStatus,
  outcome: FixStatus.nullable(),
  score: z.number().nullable(),
  iterations: z.number().nullable(),
  commit_sha: z.string().nullable(),
  error: z.string().nullable(),
})

export const Questions = z
  .object({ request: z.string().nullable(), questions: Clarification.shape.questions.readonly() })
  .openapi('Questions')

export const PlanInForce = z
  .object({ request: z.string().nullable(), plan: SessionPlan.nullable() })
  .openapi('PlanInForce')

const scopeFields = z.object({ files: Scope.shape.files.readonly(), more: Count, diff: z.string() })

export const OpenScopeReply = z
  .object({ request: z.string().nullable(), scope: scopeFields.nullable() })
  .openapi('OpenScopeReply')

export const SessionDetail = z
  .object({
    ...overview,
    request: z.string().nullable(),
    questions: Clarification.shape.questions.readonly(),
    plan: SessionPlan.nullable(),
    scope: scopeFields.nullable(),
    issues: z.array(IssueInSession).readonly(),
    sandbox: Sandbox.nullable(),
  })
  .openapi('SessionDetail')

/** What an event holds besides depends on its type: docs/events.md has them all. */
export const EventData = EventFields.extend({ type: EventType, data: z.looseObject({}) })

export const HintData = z.object({ session_id: z.string(), seq: Count })

/** The data of a frame are a line of JSON. */
const toData = (name: string) =>
  z.string().openapi({
    contentMediaType: 'application/json',
    contentSchema: { $ref: `#/components/schemas/${name}` },
  } as object)

export const EventFrame = z
  .object({ id: z.string(), event: EventType, data: toData('SessionEvent') })
  .openapi('EventFrame')

export const HintFrame = z.object({ event: z.literal('session'), data: toData('SessionHint') }).openapi('HintFrame')

export const SessionCall = AgentCallRecord.omit({ marker: true, result: true }).openapi('AgentCall')
export const Artifact = SessionArtifact.extend({}).openapi('Artifact')

export const IssueDiffs = z
  .object({
    items: z.array(
      z.object({
        source: z.enum(['commit', 'attempt', 'glimpse']),
        files: z.array(z.string()).readonly(),
        shared_with: z.array(IssueCode).readonly(),
        text: z.string(),
        is_cut: z.boolean(),
      }),
    ),
  })
  .openapi('IssueDiffs')

/** The workflow's answer. `sent`: no worker answered in time, and the event log will show what became of it. */
export const MessageOutcomeReply = z
  .object({ kind: z.enum(['taken', 'repeated', 'sent']), response: z.string().optional() })
  .openapi('MessageOutcomeReply')
