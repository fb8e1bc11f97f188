// Questions to people about issues and the plan, their answers and decisions.
import { z } from 'zod'
import type { AnsweredQuestion, ClarificationQuestion, DecisionSource } from '../../people/validate-messages.ts'
import type { Stage } from '../../plan/plan.ts'
import { joinList } from '../../text/join-list.ts'
import { truncateText } from '../../text/truncate.ts'
import { type AtStep, defineEvent, type EventFacts, type EventSubject, eventData } from './define-event.ts'
import { Texts } from './limit-lists.ts'
import { Resolution } from './wait-events.ts'

const MAX_ANSWER_CHARACTERS = 500

/** Who decided, from where and when. */
const Decided = { by: z.string(), from: z.string(), at: z.string() }

export const fixClarificationNeeded = defineEvent(
  'fix_clarification_needed',
  eventData({ id: z.string(), question: z.string(), context: z.string() }),
  ({ id, question }) => `${id}: ${question}`,
  (create) =>
    ({ id, question, context }: ClarificationQuestion, subject: EventSubject) =>
      create(`question/${id}`, { id, question, context }, subject),
)

const Answer = eventData({ id: z.string(), answer: z.string(), ...Decided })
const RequestEnd = eventData({ how: Resolution, reason: z.string().optional(), ...Decided })
type RequestEnd = z.infer<typeof RequestEnd>

export const CLARIFICATION_RECEIVED = defineEvent(
  'fix_clarification_received',
  z.union([Answer, RequestEnd]),
  (data) =>
    'answer' in data ? `${data.id}, ${data.by} (${data.from}): ${data.answer}` : describeClarificationEnd(data),
  (create) => create,
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

export const fixPlanDecided = defineEvent(
  'fix_plan_decided',
  RequestEnd,
  (end) =>
    end.how === 'deadline'
      ? describeDecider(end)
      : `${end.how}, ${describeDecider(end)}${end.reason ? `: ${end.reason}` : ''}`,
  (create) => (facts: RequestEndFacts) => create(`${facts.stepId}/settled`, toRequestEnd(facts)),
)

/** `stepId`: the step that applied the plan; the first plan of a session has none. */
export const fixPlanReady = defineEvent(
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
  (create) =>
    (
      stepId: string | undefined,
      { stages, ...facts }: Omit<EventFacts<typeof create>, 'stages' | 'batches'> & { stages: readonly Stage[] },
    ) => {
      const batches = stages.flatMap((stage) =>
        stage.batches.map(({ label, workload, steps }) => ({ label, workload, steps: [...steps] })),
      )
      const key = stepId === undefined ? 'plan' : `${stepId}/plan`
      return create(key, { stages: stages.length, batches, ...facts })
    },
)

/** One question was answered. */
export function fixClarificationReceived({ id, answer, ...decided }: AnsweredQuestion, subject: EventSubject) {
  const facts = { id, answer: truncateText(answer, MAX_ANSWER_CHARACTERS), ...toDecided(decided) }
  return CLARIFICATION_RECEIVED(`answer/${id}`, facts, subject)
}

/** No more answers come. */
export function fixClarificationClosed(facts: RequestEndFacts) {
  return CLARIFICATION_RECEIVED(`${facts.stepId}/settled`, toRequestEnd(facts))
}

export interface RequestEndFacts extends AtStep {
  readonly how: Resolution
  readonly reason?: string | undefined
  readonly decidedBy: DecisionSource
}

function toRequestEnd({ how, reason, decidedBy }: RequestEndFacts): RequestEnd {
  return { how, reason: reason ? truncateText(reason, MAX_ANSWER_CHARACTERS) : undefined, ...toDecided(decidedBy) }
}

function toDecided({ by, from, at }: DecisionSource) {
  return { by, from, at: new Date(at).toISOString() }
}
