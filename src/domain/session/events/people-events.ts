// Questions to people about issues and the plan, their answers and decisions.
import { z } from 'zod'
import type { AnsweredQuestion, ClarificationQuestion, DecisionSource } from '../../people/validate-messages.ts'
import type { Stage } from '../../plan/plan.ts'
import { joinList } from '../../text/join-list.ts'
import { truncateText } from '../../text/truncate.ts'
import { defineEvent, type EventSubject, eventData } from './define-event.ts'
import { Texts } from './limit-lists.ts'
import { Resolution } from './wait-events.ts'

const MAX_ANSWER_CHARACTERS = 500

/** Who decided, from where and when. */
const Decided = { by: z.string(), from: z.string(), at: z.string() }

const CLARIFICATION_NEEDED = defineEvent(
  'fix_clarification_needed',
  eventData({ id: z.string(), question: z.string(), context: z.string() }),
  ({ id, question }) => `${id}: ${question}`,
)

const Answer = eventData({ id: z.string(), answer: z.string(), ...Decided })
const RequestEnd = eventData({ how: Resolution, reason: z.string().optional(), ...Decided })
type RequestEnd = z.infer<typeof RequestEnd>

const CLARIFICATION_RECEIVED = defineEvent('fix_clarification_received', z.union([Answer, RequestEnd]), (data) =>
  'answer' in data ? `${data.id}, ${data.by} (${data.from}): ${data.answer}` : describeClarificationEnd(data),
)

function describeClarificationEnd(end: RequestEnd): string {
  if (end.how === 'skipped') return `the rest is skipped, ${describeDecider(end)}`
  return end.how === 'cancelled'
    ? `cancelled before the rest was answered, ${describeDecider(end)}`
    : describeDecider(end)
}

function describeDecider({ how, by, from }: RequestEnd): string {
  return how === 'deadline' ? 'nobody answered in time' : `${by} (${from})`
}

const PLAN_DECIDED = defineEvent('fix_plan_decided', RequestEnd, (end) =>
  end.how === 'deadline'
    ? describeDecider(end)
    : `${end.how}, ${describeDecider(end)}${end.reason ? `: ${end.reason}` : ''}`,
)

const PLAN_READY = defineEvent(
  'fix_plan_ready',
  eventData({
    stages: z.number(),
    batches: z
      .array(z.object({ label: z.string(), workload: z.number(), steps: z.array(Texts).readonly() }))
      .readonly(),
    /** Where the session is opened. */
    branch: z.string().optional(),
    /** Where a plan is applied: the issues that people took out. */
    dropped: Texts.optional(),
    approved: z.object({ by: z.string(), from: z.string(), at: z.number() }).optional(),
  }),
  ({ stages, batches, branch, dropped, approved }) => {
    if (batches.length === 0 && dropped === undefined) return 'there is nothing to do'
    const size = `${batches.length} batch(es) in ${stages} stage(s)`
    if (branch !== undefined) return `${size}, onto ${branch}`
    const without = dropped?.length ? ` without ${joinList(dropped)}` : ''
    return `${size}${without}${approved ? `, approved by ${approved.by}` : ''}`
  },
)

export const PEOPLE_EVENTS = [CLARIFICATION_NEEDED, CLARIFICATION_RECEIVED, PLAN_READY, PLAN_DECIDED] as const

export function fixClarificationNeeded({ id, question, context }: ClarificationQuestion, subject: EventSubject) {
  return CLARIFICATION_NEEDED.create(`question/${id}`, { id, question, context }, subject)
}

/** One question was answered. */
export function fixClarificationReceived({ id, answer, ...decided }: AnsweredQuestion, subject: EventSubject) {
  const facts = { id, answer: truncateText(answer, MAX_ANSWER_CHARACTERS), ...toDecided(decided) }
  return CLARIFICATION_RECEIVED.create(`answer/${id}`, facts, subject)
}

export interface RequestEndFacts {
  readonly stepId: string
  readonly how: Resolution
  readonly reason?: string | undefined
  readonly decidedBy: DecisionSource
}

/** No more answers come. */
export function fixClarificationClosed(facts: RequestEndFacts) {
  return CLARIFICATION_RECEIVED.create(`${facts.stepId}/settled`, toRequestEnd(facts))
}

export function fixPlanDecided(facts: RequestEndFacts) {
  return PLAN_DECIDED.create(`${facts.stepId}/settled`, toRequestEnd(facts))
}

export interface PlanFacts {
  readonly stages: readonly Stage[]
  readonly branch?: string | undefined
  readonly dropped?: readonly string[] | undefined
  readonly approved?: DecisionSource | undefined
}

/** `stepId`: the step that applied the plan; the first plan of a session has none. */
export function fixPlanReady(stepId: string | undefined, { stages, ...facts }: PlanFacts) {
  const batches = stages.flatMap((stage) =>
    stage.batches.map(({ label, workload, steps }) => ({ label, workload, steps: [...steps] })),
  )
  const key = stepId === undefined ? 'plan' : `${stepId}/plan`
  return PLAN_READY.create(key, { stages: stages.length, batches, ...facts })
}

function toRequestEnd({ how, reason, decidedBy }: RequestEndFacts): RequestEnd {
  return { how, reason: reason ? truncateText(reason, MAX_ANSWER_CHARACTERS) : undefined, ...toDecided(decidedBy) }
}

function toDecided({ by, from, at }: DecisionSource) {
  return { by, from, at: new Date(at).toISOString() }
}
