// The dialogue before the first fix, free of Temporal: rounds of questions until the fixer is ready, then the plan, until a person
// agrees if approval is required. Neither an unreadable reply nor silence counts as an answer.
import { MAX_MESSAGE_TOTAL, type PlanEdit, sumLengths } from '../../domain/people/message-schemas.ts'
import type { AnsweredQuestion, DecisionSource, OpenRequest } from '../../domain/people/validate-messages.ts'
import { formatStepId } from '../../domain/session/step-id.ts'
import type { Step } from '../../domain/session/step-patterns.ts'
import type {
  AppliedPlan,
  Conversation,
  Ending,
  PlanInput,
  PlanningRules,
  Timeouts,
} from '../../domain/workflow-types/index.ts'
import { retryWhileLimited } from '../provider-backoff.ts'
import type { SessionStep, WaitPorts } from '../stage/stage-ports.ts'
import type { RequestResolution } from './message-handlers.ts'

export type PlanningActivities = { readonly [Name in 'clarify' | 'planFixes' | 'applyPlan']: SessionStep<Name> }

export interface PlanningPorts extends PlanningActivities, WaitPorts {
  /** Returns when people have decided, or the time is over. */
  requestDecision(stepId: string, open: OpenRequest, seconds: number): Promise<RequestResolution>
  listAnswered(): readonly AnsweredQuestion[]
  /** Returns whether somebody let the session begin in time. */
  waitForStart(seconds: number): Promise<boolean>
  /** Adds answers from earlier sessions, which need not be asked for again. */
  addAnswers(answered: readonly AnsweredQuestion[]): void
}

export interface PlanningTask {
  readonly rules: PlanningRules
  readonly timeouts: Timeouts
  readonly codes: readonly string[]
}

export interface PlanningResult {
  readonly conversation?: Conversation | undefined
  readonly appliedPlan?: AppliedPlan | undefined
  /** The person who left issues out of the plan. */
  readonly droppedBy?: DecisionSource | undefined
  readonly stop?: Ending | undefined
}

export async function runPlanningDialogue(task: PlanningTask, ports: PlanningPorts): Promise<PlanningResult> {
  const clarified = task.rules.clarify ? await runClarification(task, ports) : {}
  if (clarified.stop) return clarified
  if (task.rules.waitForStart && !(await ports.waitForStart(task.timeouts.clarifySeconds))) {
    return { stop: { class: 'cancelled', detail: 'nobody let it begin in time; start the same work again' } }
  }
  const { planner, approvePlan } = task.rules
  if (planner === 'agent' || approvePlan) return await preparePlan(task, ports, clarified.conversation)
  if (ports.listAnswered().length === 0) return clarified
  return {
    ...clarified,
    appliedPlan: await ports.applyPlan({
      stepId: formatStepId({ kind: 'apply_answers' }),
      answered: ports.listAnswered(),
      edits: [],
    }),
  }
}

async function runClarification({ rules, timeouts }: PlanningTask, ports: PlanningPorts): Promise<PlanningResult> {
  let conversation: Conversation | undefined
  for (let round = 1; round <= rules.maxClarifyRounds; round += 1) {
    const resume = conversation
    const request = formatStepId({ kind: 'clarify', round })
    const answer = await retryWhileLimited(request, timeouts, ports, (stepId) =>
      ports.clarify({ stepId, round, answered: ports.listAnswered(), resume }),
    )
    if (answer.kind === 'stop') return { stop: answer.ending }
    const { outcome } = answer
    if (outcome.failure) return { stop: toUnreadableEnding(outcome.failure.detail) }
    conversation = outcome.conversation ?? conversation
    ports.addAnswers(outcome.reused)
    if (outcome.ready) break
    if (outcome.questions.length === 0) {
      if (outcome.reused.length > 0) continue
      return { stop: toUnreadableEnding('it is not ready, and asks nothing') }
    }
    const open = { kind: 'clarification', request, questions: outcome.questions } as const
    const resolution = await ports.requestDecision(request, open, timeouts.clarifySeconds)
    if (resolution.kind === 'deadline') {
      const left = outcome.questions.filter(({ id }) => !ports.listAnswered().some((each) => each.id === id))
      return { stop: toUnansweredEnding(left.length, 'question(s)') }
    }
    if (resolution.kind === 'skipped') break
  }
  return { conversation }
}

async function preparePlan(
  task: PlanningTask,
  ports: PlanningPorts,
  before: Conversation | undefined,
): Promise<PlanningResult> {
  const { rules, timeouts } = task
  const byAgent = rules.planner === 'agent'
  let conversation = before
  let rejected: PlanInput['rejected']
  for (let attempt = 1; ; attempt += 1) {
    const stepId = formatStepId({ kind: 'plan', attempt })
    let plan: string | undefined
    if (byAgent) {
      const resume = conversation
      const answer = await retryWhileLimited(stepId, timeouts, ports, (tryId) =>
        ports.planFixes({ stepId: tryId, answered: ports.listAnswered(), rejected, resume }),
      )
      if (answer.kind === 'stop') return { stop: answer.ending }
      conversation = answer.outcome.conversation ?? conversation
      plan = answer.outcome.plan
    }
    const agreed = await negotiatePlan(task, ports, { attempt, plan })
    if (agreed.kind === 'agreed') return { conversation, appliedPlan: agreed.appliedPlan, droppedBy: agreed.droppedBy }
    if (agreed.kind === 'deadline') return { stop: toUnansweredEnding(1, 'plan') }
    const { reason, by } = agreed
    if (!byAgent || attempt > rules.maxPlanRejections) {
      return { stop: { class: 'cancelled', detail: `the plan was rejected by ${by}: ${reason}` } }
    }
    rejected = { stepId, reason }
  }
}

type PlanAgreement =
  | { readonly kind: 'agreed'; readonly appliedPlan: AppliedPlan; readonly droppedBy?: DecisionSource | undefined }
  | { readonly kind: 'rejected'; readonly reason: string; readonly by: string }
  | { readonly kind: 'deadline' }

/** Applies the plan, shows it and edits it as people ask, until somebody approves or rejects it. */
async function negotiatePlan(
  { rules, timeouts, codes }: PlanningTask,
  ports: PlanningPorts,
  { attempt, plan }: { readonly attempt: number; readonly plan: string | undefined },
): Promise<PlanAgreement> {
  let edit: PlanEdit | undefined
  let droppedBy: DecisionSource | undefined
  const apply = (step: Step, approved?: DecisionSource): Promise<AppliedPlan> =>
    ports.applyPlan({
      stepId: formatStepId(step),
      answered: ports.listAnswered(),
      plan,
      edits: edit ? [edit] : [],
      approved,
    })
  let appliedPlan = await apply({ kind: 'apply_plan', attempt, turn: 1 })
  for (let turn = 1; rules.approvePlan; turn += 1) {
    const { dropped } = appliedPlan
    const left = codes.filter((code) => !dropped.includes(code))
    const request = formatStepId(
      turn === 1 ? { kind: 'plan', attempt } : { kind: 'edit_plan', attempt, edit: turn - 1 },
    )
    const room = MAX_MESSAGE_TOTAL - sumLengths(edit?.notes ?? {})
    const resolution = await ports.requestDecision(
      request,
      { kind: 'plan', request, codes: left, room },
      timeouts.planSeconds,
    )
    if (resolution.kind === 'deadline') return { kind: 'deadline' }
    if (resolution.kind !== 'plan') throw new TypeError(`a plan was settled as ${resolution.kind}`)
    const { decision, decided } = resolution
    if (decision.decision === 'reject') return { kind: 'rejected', reason: decision.reason, by: decided.by }
    if (decision.edit) {
      edit = edit ? mergeEdits(edit, decision.edit) : decision.edit
      if (decision.edit.drop.length > 0) droppedBy = decided
    }
    if (decision.decision === 'approve') {
      appliedPlan = await apply({ kind: 'apply_agreed_plan', attempt }, decided)
      break
    }
    appliedPlan = await apply({ kind: 'apply_plan', attempt, turn: turn + 1 })
  }
  return { kind: 'agreed', appliedPlan, droppedBy }
}

/** Merges two edits: everything that either drops, the newer order followed by the older one, and the newest note on each issue. */
function mergeEdits(before: PlanEdit, { drop, order, notes }: PlanEdit): PlanEdit {
  return {
    drop: [...new Set([...before.drop, ...drop])],
    order: [...new Set([...order, ...before.order])],
    notes: { ...before.notes, ...notes },
  }
}

/** An unreadable reply is no reason to begin: the agent may have questions. */
function toUnreadableEnding(detail: string): Ending {
  const next = 'start the same work again, or without asking first (people.clarify)'
  return { class: 'infrastructure', detail: `the fixer could not say whether it has questions: ${detail}; ${next}` }
}

function toUnansweredEnding(count: number, what: string): Ending {
  return { class: 'cancelled', detail: `nobody answered in time: ${count} ${what} open; start the same work again` }
}
