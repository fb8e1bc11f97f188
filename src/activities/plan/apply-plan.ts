// Lays out the plan: what an agent proposed and a person changed becomes stages by our own rules, and a brief of what each issue's
// fixer is told. It is kept in three forms: the brief for whoever fixes, the todo files, and the session's own record for people.

import type { Answered } from '../../domain/people/validate-messages.ts'
import { type Brief, type Clarification, IssuePlan } from '../../domain/plan/brief.ts'
import { codesOfStage, type Stage } from '../../domain/plan/plan.ts'
import { applyEdits, orderRemarks, plannerRemarks } from '../../domain/plan/plan-edits.ts'
import { stagesOf } from '../../domain/plan/plan-stages.ts'
import type { LaidPlan, LayInput } from '../../domain/protocol/index.ts'
import { IN_PASSING, type NewEvent } from '../../domain/session/events.ts'
import type { SessionPlan } from '../../domain/session/session.ts'
import { profileOf, type Settings } from '../../domain/settings/schema.ts'
import type { PlanReply } from '../../domain/stage/agent-replies.ts'
import { listed } from '../../domain/text/join-list.ts'
import { tell } from '../append-events.ts'
import { loadSession, type Session, todoOf, type Workshop } from '../context.ts'
import { keep } from '../store-artifact.ts'
import { todoFiles, writeTodo } from './todo-files.ts'

/** The name that a session's brief is kept under; a later one replaces it. */
const BRIEF = 'brief'

/** A planner's answer, as its call left it. */
export interface KeptPlan extends PlanReply {
  /** Which plan of the session it is: one that was rejected is made again. */
  readonly attempt: number
}

export async function readPlan({ artifacts }: Workshop, ref: string): Promise<KeptPlan> {
  return JSON.parse((await artifacts.get(ref)).toString())
}

export async function layPlan(shop: Workshop, input: LayInput): Promise<LaidPlan> {
  const session = await loadSession(shop, input.sessionId)
  const proposed = input.plan === undefined ? undefined : await readPlan(shop, input.plan)
  const all = todoOf(session)
  const { issues, dropped, notes } = applyEdits(all, input.edits)
  const stages = stagesOf(session.settings, issues)
  const remarks = [...(proposed ? plannerRemarks(proposed, all) : []), ...orderRemarks(input.edits, stages)]
  const plans = Object.fromEntries((proposed?.issues ?? []).map(({ issue_code, ...plan }) => [issue_code, plan]))
  const clarifications = input.answered.map(clarificationOf)
  const { approved } = input
  const brief = await lay(shop, session, stages, { clarifications, plans, notes, remarks }, approved?.by)
  await tell(shop, session.id, [
    ...remarks.map(
      (message, index): NewEvent => ({ key: `${input.call}/remark${index + 1}`, type: 'fix_log', message }),
    ),
    ...slicingEvents(session.settings, stages, input.call),
    {
      key: `${input.call}/plan`,
      type: 'fix_plan_ready',
      message: `${sizeOf(stages)}${dropped.length > 0 ? ` without ${listed(dropped)}` : ''}${approved ? `, approved by ${approved.by}` : ''}`,
      data: { batches: batchesOf(stages), dropped, ...(approved ? { approved } : {}) },
    },
  ])
  await shop.store.sessions.update(session.id, { status: 'generating' })
  return { brief, stages, dropped }
}

/** Puts it down for everyone who needs it, and answers with the brief's reference. */
export async function lay(
  shop: Workshop,
  session: Session,
  stages: readonly Stage[],
  brief: Brief,
  approvedBy?: string,
): Promise<string> {
  const steps = stages.flatMap(({ batches }) => batches.flatMap((batch) => batch.steps))
  const files = todoFiles(shop, session, brief, steps)
  await writeTodo(shop, session, files)
  for (const { name, content, code } of files) await keep(shop, session.id, 'todo', name, content, code)
  const ref = await keep(shop, session.id, 'todo', BRIEF, JSON.stringify(brief))
  await shop.store.sessions.update(session.id, {
    plan: await shop.masking.values(shownPlan(stages, brief, approvedBy)),
  })
  return ref
}

export function sizeOf(stages: readonly Stage[]): string {
  return `${stages.flatMap(({ batches }) => batches).length} batch(es) in ${stages.length} stage(s)`
}

export function batchesOf(stages: readonly Stage[]): object[] {
  return stages.flatMap(({ batches }) => batches.map(({ label, workload, steps }) => ({ label, workload, steps })))
}

/** Where all issues were to go into one call, and are more than fit its time. */
export function slicingEvents(settings: Settings, stages: readonly Stage[], call: string): NewEvent[] {
  const batches = stages.flatMap((stage) => stage.batches)
  if (profileOf(settings).calls === 'batched' || batches.length < 2) return []
  const points = batches.reduce((sum, { workload }) => sum + workload, 0)
  const most = settings.limits.max_workload_points_per_one_call
  const why = `${points} points of work are more than the ${most} that one call gets`
  const message = `${why}: they are sliced into ${batches.length} calls, one after the other`
  return [{ key: `${call}/sliced`, type: 'fix_log', message, data: IN_PASSING }]
}

export function clarificationOf({ id, code, question, context, answer, by, at }: Answered): Clarification {
  const about = code === undefined ? {} : { issue_code: code }
  return { id, ...about, question, context, answer, answered_by: by, answered_at: new Date(at).toISOString() }
}

function shownPlan(stages: readonly Stage[], { plans, notes, remarks }: Brief, approved_by?: string): SessionPlan {
  const told = stages.flatMap(codesOfStage).filter((code) => plans[code] !== undefined || notes[code] !== undefined)
  const issues = told.map((code) => [code, { ...(plans[code] ?? IssuePlan.parse({})), note: notes[code] }])
  return {
    stages: stages.map(({ batches }) => ({
      batches: batches.map((batch) => ({ label: batch.label, steps: batch.steps.map((step) => [...step]) })),
    })),
    issues: Object.fromEntries(issues),
    remarks,
    ...(approved_by === undefined ? {} : { approved_by }),
  }
}
