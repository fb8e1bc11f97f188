// Turns an agent's proposal and a person's edits into stages, by our own rules, and into a brief for the fixers.

import type { AnsweredQuestion } from '../../domain/people/validate-messages.ts'
import { type Brief, type Clarification, IssuePlan } from '../../domain/plan/brief.ts'
import { listStageCodes, type Stage } from '../../domain/plan/plan.ts'
import { applyPlanEdits, listOrderRemarks, listPlannerRemarks } from '../../domain/plan/plan-edits.ts'
import { planSessionStages } from '../../domain/plan/plan-stages.ts'
import type { AppliedPlan, ApplyPlanInput } from '../../domain/protocol/index.ts'
import type { NewEvent } from '../../domain/session/events/index.ts'
import { logCallSplit, logPlanRemarks } from '../../domain/session/events/logs/session-logs.ts'
import { fixPlanReady } from '../../domain/session/events/people-events.ts'
import type { SessionPlan } from '../../domain/session/session.ts'
import { getProfile, type Settings } from '../../domain/settings/schema.ts'
import { StoredPlan } from '../../domain/stage/agent-replies.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, claimedIssues, loadSession, type Session } from '../context.ts'
import { loadArtifact } from '../load-artifact.ts'
import { storeArtifact } from '../store-artifact.ts'
import { buildTodoFiles, writeTodoFiles } from './todo-files.ts'

/** A session's brief is stored under this name; a later one replaces it. */
const BRIEF_NAME = 'brief'

export async function applyPlan(context: ActivityContext, input: ApplyPlanInput): Promise<AppliedPlan> {
  const session = await loadSession(context, input.sessionId)
  const proposed = input.plan === undefined ? undefined : await loadArtifact(context, input.plan, StoredPlan)
  const all = claimedIssues(session)
  const { issues, dropped, notes } = applyPlanEdits(all, input.edits)
  const stages = planSessionStages(session.settings, issues)
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

/** Stores the plan as brief (its reference is returned), todo files and the session's own record for people. */
export async function storePlan(
  context: ActivityContext,
  session: Session,
  stages: readonly Stage[],
  brief: Brief,
  approvedBy?: string,
): Promise<string> {
  const steps = stages.flatMap(({ batches }) => batches.flatMap((batch) => batch.steps))
  const files = buildTodoFiles(context, session, brief, steps)
  await writeTodoFiles(context, session, files)
  for (const { name, content, code } of files) await storeArtifact(context, session.id, 'todo', name, content, code)
  const ref = await storeArtifact(context, session.id, 'todo', BRIEF_NAME, JSON.stringify(brief))
  await context.store.sessions.update(session.id, {
    plan: await context.masking.maskValues(toSessionPlan(stages, brief, approvedBy)),
  })
  return ref
}

/** An event if all issues were to go into one call but exceed its limit. */
export function oneCallSplitEvents(settings: Settings, stages: readonly Stage[], stepId: string): NewEvent[] {
  const batches = stages.flatMap((stage) => stage.batches)
  if (getProfile(settings).calls === 'batched' || batches.length < 2) return []
  const points = batches.reduce((sum, { workload }) => sum + workload, 0)
  const maxPoints = settings.limits.max_workload_points_per_one_call
  return [logCallSplit(stepId, { points, maxPoints, calls: batches.length })]
}

export function toClarification({ id, code, question, context, answer, by, at }: AnsweredQuestion): Clarification {
  const about = code === undefined ? {} : { issue_code: code }
  return { id, ...about, question, context, answer, answered_by: by, answered_at: new Date(at).toISOString() }
}

function toSessionPlan(stages: readonly Stage[], { plans, notes, remarks }: Brief, approved_by?: string): SessionPlan {
  const planned = stages
    .flatMap(listStageCodes)
    .filter((code) => plans[code] !== undefined || notes[code] !== undefined)
  const issues = planned.map((code) => [code, { ...(plans[code] ?? IssuePlan.parse({})), note: notes[code] }])
  return {
    stages: stages.map(({ batches }) => ({
      batches: batches.map((batch) => ({ label: batch.label, steps: batch.steps.map((step) => [...step]) })),
    })),
    issues: Object.fromEntries(issues),
    remarks,
    ...(approved_by === undefined ? {} : { approved_by }),
  }
}
