// A session's beginning, other starts that join it, and its end.

import { z } from 'zod'
import { Budgets } from '../../budget/limits.ts'
import { formatDollars } from '../../budget/spending.ts'
import type { DecisionSource } from '../../people/validate-messages.ts'
import { describeSandbox, Sandbox } from '../../settings/sandbox-level.ts'
import { CONSEQUENCES, type FailureClass } from '../failure.ts'
import { type FixSessionResult, FixStatus } from '../session.ts'
import { SessionKind } from '../session-kind.ts'
import { defineEvent, type EventFacts, eventData, type SessionTotal } from './define-event.ts'
import { Texts } from './limit-lists.ts'

export const fixSessionStarted = defineEvent(
  'fix_session_started',
  eventData({
    /** Absent where issues are fixed. */
    kind: SessionKind.optional(),
    repository: z.string(),
    profile: z.string(),
    max_iterations: z.number(),
    base: z.string().optional(),
    /** The sandbox around the session's agents. */
    sandbox: Sandbox,
    budgets: Budgets,
    workflow_id: z.string().optional(),
    run_id: z.string().optional(),
    /** The workflow's page in Temporal's UI, where that was then. */
    temporal_url: z.string().optional(),
  }),
  ({ kind = 'fix', repository, profile, sandbox }, { total_issues }) => {
    const what =
      kind === 'fix' ? `${total_issues} issue(s) in ${repository}, profile ${profile}` : `${kind} of ${repository}`
    return `${what}; agents in ${describeSandbox(sandbox)}`
  },
  (create) => (facts: EventFacts<typeof create>, totalIssues: number) =>
    create('session/started', facts, { total_issues: totalIssues }),
)

/** `startId`: the session that the other start would have been. */
export const fixSessionJoined = defineEvent(
  'fix_session_joined',
  eventData({}),
  () => 'joined by another start',
  (create) => (startId: string, total: SessionTotal) => create(`joined/${startId}`, { total }),
)

const SessionEnd = eventData({
  status: FixStatus,
  /** Why it ended, where something ended it. */
  reason: z.string().optional(),
  fixed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  commits: Texts,
  cost_usd: z.number(),
  cost_partial: z.literal(true).optional(),
  tokens: z.number().optional(),
  /** The session's limit in dollars. */
  budget_usd: z.number().optional(),
  /** Of a review: the number of findings by how each ended. */
  review: z
    .object({ confirmed: z.number(), refuted: z.number(), unverified: z.number(), merged: z.number() })
    .optional(),
  /** Who cancelled it, from where and when. */
  by: z.string().optional(),
  from: z.string().optional(),
  at: z.string().optional(),
})

function describeEnd(end: z.infer<typeof SessionEnd>): string {
  const { reason, from, fixed, failed, skipped, budget_usd, review } = end
  const counts = review
    ? `${review.confirmed} confirmed, ${review.refuted} refuted, ${review.unverified} unverified`
    : `${fixed} fixed, ${failed} failed, ${skipped} skipped`
  return [reason, from && `told from ${from}`, counts, formatDollars(end, budget_usd)].filter(Boolean).join(' · ')
}

export const SESSION_ENDS = {
  fix_session_completed: defineEvent('fix_session_completed', SessionEnd, describeEnd, (create) => create),
  fix_session_error: defineEvent('fix_session_error', SessionEnd, describeEnd, (create) => create),
  fix_session_cancelled: defineEvent('fix_session_cancelled', SessionEnd, describeEnd, (create) => create),
  fix_billing_error: defineEvent('fix_billing_error', SessionEnd, describeEnd, (create) => create),
}

export const TERMINAL_EVENTS: ReadonlySet<string> = new Set(Object.keys(SESSION_ENDS))

export interface SessionEndFacts {
  readonly result: FixSessionResult
  readonly ending?: { readonly class: FailureClass; readonly detail: string } | undefined
  readonly cancelledBy?: DecisionSource | undefined
  readonly budgetUsd?: number | null | undefined
}

/** The type of the event follows from what ended the session. */
export function fixSessionEnded({ result, ending, cancelledBy, budgetUsd }: SessionEndFacts) {
  const { status, issues_requested, issues_fixed, issues_failed, issues_skipped, commits } = result
  const { cost_usd, cost_partial, tokens, review } = result
  const facts = {
    status,
    reason: ending?.detail,
    fixed: issues_fixed,
    failed: issues_failed,
    skipped: issues_skipped,
    commits: commits.map(({ sha }) => sha),
    cost_usd,
    cost_partial,
    tokens,
    budget_usd: budgetUsd ?? undefined,
    ...(review && {
      review: {
        ...{ confirmed: review.confirmed, refuted: review.refuted },
        ...{ unverified: review.unverified, merged: review.merged },
      },
    }),
    ...(cancelledBy && { by: cancelledBy.by, from: cancelledBy.from, at: new Date(cancelledBy.at).toISOString() }),
  }
  const type = ending ? CONSEQUENCES[ending.class].event : 'fix_session_completed'
  return SESSION_ENDS[type]('session/ended', facts, { total_issues: issues_requested })
}
