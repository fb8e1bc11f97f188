// Turns an agent's proposal and a person's edits into stages, by our own rules, and into a brief for the fixers.

import type { AnsweredQuestion } from '../../domain/people/validate-messages.ts'
import type { Clarification } from '../../domain/plan/brief.ts'
import { planStages, type Stage } from '../../domain/plan/plan.ts'
import { applyPlanEdits, listOrderRemarks, listPlannerRemarks } from '../../domain/plan/plan-edits.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import { logCallSplit, logPlanRemarks } from '../../domain/session/events/logs/session-logs.ts'
import { fixPlanReady } from '../../domain/session/events/people-events.ts'
import { getProfile, type Settings } from '../../domain/settings/schema.ts'
import { StoredPlan } from '../../domain/stage/reply-schemas.ts'
import type { AppliedPlan, ApplyPlanInput } from '../../domain/workflow-types/index.ts'
import { appendEvents } from '../append-events.ts'
import { loadArtifact } from '../artifacts.ts'
import { type ActivityContext, claimedIssues, loadSession } from '../context.ts'
import { storePlan } from './store-plan.ts'

export async function applyPlan(context: ActivityContext, input: ApplyPlanInput): Promise<AppliedPlan> {
  const session = await loadSession(context, input.sessionId)
  const proposed = input.plan === undefined ? undefined : await loadArtifact(context, input.plan, StoredPlan)
  const all = claimedIssues(session)
  const { issues, dropped, notes } = applyPlanEdits(all, input.edits)
  const stages = planStages(issues, getProfile(session.settings), session.settings.limits)
  const remarks = [...(proposed ? listPlannerRemarks(proposed, all) : []), ...listOrderRemarks(input.edits, stages)]
  const plans = Object.fromEntries((proposed?.issues ?? []).map(({ issue_code, ...plan }) => [issue_code, plan]))
  const clarifications = input.answered.map(toClarification)
  const { approved } = input
  const brief = await storePlan(context, session, stages, { clarifications, plans, notes, remarks }, approved?.by)
  await appendEvents(context, session.id, [
    ...logPlanRemarks(input.stepId, remarks),
    ...oneCallSplitEvents(session.settings, stages, input.stepId),
    fixPlanReady(input.stepId, { stages, dropped, approved }),
  ])
  await context.store.sessions.update(session.id, { status: 'generating' })
  return { brief, stages, dropped }
}

/** An event if all issues were to go into one call but exceed its limit. */
export function oneCallSplitEvents(settings: Settings, stages: readonly Stage[], stepId: string): NewEvent[] {
  const batches = stages.flatMap((stage) => stage.batches)
  if (getProfile(settings).calls === 'batched' || batches.length < 2) return []
  const points = batches.reduce((sum, { workload }) => sum + workload, 0)
  const max_points = settings.limits.max_workload_points_per_one_call
  return [logCallSplit(stepId, { points, max_points, calls: batches.length })]
}

export function toClarification({ id, code, question, context, answer, by, at }: AnsweredQuestion): Clarification {
  const about = code === undefined ? {} : { issue_code: code }
  return { id, ...about, question, context, answer, answered_by: by, answered_at: new Date(at).toISOString() }
}
