// What is said before the first fix, free of Temporal: rounds of questions until the fixer is ready, then the plan, until a person
// agrees with it where one wants to. What can't be read is never an answer, and nobody's silence is one, either.
import { lengthOf, MOST_WORDS, type PlanEdit } from '../../domain/people/message-schemas.ts'
import type { Answered, Decided, OpenRequest } from '../../domain/people/validate-messages.ts'
import type {
  ClarifyInput,
  ClarifyOutcome,
  Clocks,
  Conversation,
  Ending,
  LaidPlan,
  LayInput,
  PlanInput,
  PlanOutcome,
  Talk,
} from '../../domain/protocol/index.ts'
import { patiently } from '../provider-backoff.ts'
import { type Named, type WaitPorts, WEEK_SECONDS } from '../stage/ports.ts'
import type { Settled } from './message-handlers.ts'

export interface TalkPorts extends WaitPorts {
  clarify(input: Named<ClarifyInput>): Promise<ClarifyOutcome>
  plan(input: Named<PlanInput>): Promise<PlanOutcome>
  lay(input: Named<LayInput>): Promise<LaidPlan>
  /** Asks people, and returns when that is settled one way or another. */
  ask(call: string, open: OpenRequest, seconds: number): Promise<Settled>
  /** All answers so far. */
  answered(): readonly Answered[]
  /** Answers that need not be asked for. */
  remember(answered: readonly Answered[]): void
}

export interface TalkTask {
  readonly talk: Talk
  readonly clocks: Clocks
  readonly codes: readonly string[]
}

export interface Talked {
  readonly conversation?: Conversation | undefined
  readonly laid?: LaidPlan | undefined
  /** Who left issues out of the plan. */
  readonly droppedBy?: Decided | undefined
  readonly stop?: Ending | undefined
}

export async function talkFirst(task: TalkTask, ports: TalkPorts): Promise<Talked> {
  const clarified = task.talk.clarify ? await clarify(task, ports) : {}
  if (clarified.stop) return clarified
  const { planner, approvePlan } = task.talk
  if (planner === 'agent' || approvePlan) return await agreeOnPlan(task, ports, clarified.conversation)
  if (ports.answered().length === 0) return clarified
  return { ...clarified, laid: await ports.lay({ call: 'plan.lay', answered: ports.answered(), edits: [] }) }
}

async function clarify({ talk, clocks }: TalkTask, ports: TalkPorts): Promise<Talked> {
  let conversation: Conversation | undefined
  for (let round = 1; round <= talk.maxClarifyRounds; round += 1) {
    const resume = conversation
    const answer = await patiently(`clarify.r${round}`, clocks, ports, (call) =>
      ports.clarify({ call, round, answered: ports.answered(), resume }),
    )
    if (answer.kind === 'stop') return { stop: answer.ending }
    const { outcome } = answer
    if (outcome.failure) return { stop: notUnderstood(outcome.failure.detail) }
    conversation = outcome.conversation ?? conversation
    ports.remember(outcome.reused)
    if (outcome.ready) break
    if (outcome.questions.length === 0) {
      if (outcome.reused.length > 0) continue
      return { stop: notUnderstood('it is not ready, and asks nothing') }
    }
    const request = `clarify.r${round}`
    const open = { kind: 'clarification', request, questions: outcome.questions } as const
    const settled = await ports.ask(request, open, clocks.clarifySeconds ?? WEEK_SECONDS)
    if (settled.kind === 'deadline') {
      const left = outcome.questions.filter(({ id }) => !ports.answered().some((each) => each.id === id))
      return { stop: unanswered(left.length, 'question(s)') }
    }
    if (settled.kind === 'skipped') break
  }
  return { conversation }
}

async function agreeOnPlan(task: TalkTask, ports: TalkPorts, before: Conversation | undefined): Promise<Talked> {
  const { talk, clocks } = task
  const byAgent = talk.planner === 'agent'
  let conversation = before
  let rejected: PlanInput['rejected']
  for (let attempt = 1; ; attempt += 1) {
    const call = `plan.p${attempt}`
    let plan: string | undefined
    if (byAgent) {
      const resume = conversation
      const answer = await patiently(call, clocks, ports, (name) =>
        ports.plan({ call: name, answered: ports.answered(), rejected, resume }),
      )
      if (answer.kind === 'stop') return { stop: answer.ending }
      conversation = answer.outcome.conversation ?? conversation
      plan = answer.outcome.plan
    }
    const agreed = await agree(task, ports, { call, plan })
    if (agreed.kind === 'agreed') return { conversation, laid: agreed.laid, droppedBy: agreed.droppedBy }
    if (agreed.kind === 'deadline') return { stop: unanswered(1, 'plan') }
    const { reason, by } = agreed
    if (!byAgent || attempt > talk.maxPlanRejections) {
      return { stop: { class: 'cancelled', detail: `the plan was rejected by ${by}: ${reason}` } }
    }
    rejected = { call, reason }
  }
}

type Agreement =
  | { readonly kind: 'agreed'; readonly laid: LaidPlan; readonly droppedBy?: Decided | undefined }
  | { readonly kind: 'rejected'; readonly reason: string; readonly by: string }
  | { readonly kind: 'deadline' }

/** Lays out the plan, shows it, changes it as it is told to, until somebody agrees with it. */
async function agree(
  { talk, clocks, codes }: TalkTask,
  ports: TalkPorts,
  { call, plan }: { readonly call: string; readonly plan: string | undefined },
): Promise<Agreement> {
  let edit: PlanEdit | undefined
  let droppedBy: Decided | undefined
  const lay = (name: string, approved?: Decided): Promise<LaidPlan> =>
    ports.lay({ call: `${call}.${name}`, answered: ports.answered(), plan, edits: edit ? [edit] : [], approved })
  let laid = await lay('lay')
  for (let turn = 1; talk.approvePlan; turn += 1) {
    const { dropped } = laid
    const left = codes.filter((code) => !dropped.includes(code))
    const request = turn === 1 ? call : `${call}.e${turn - 1}`
    const seconds = clocks.planSeconds ?? WEEK_SECONDS
    const room = MOST_WORDS - lengthOf(edit?.notes ?? {})
    const settled = await ports.ask(request, { kind: 'plan', request, codes: left, room }, seconds)
    if (settled.kind === 'deadline') return { kind: 'deadline' }
    if (settled.kind !== 'plan') throw new TypeError(`a plan was settled as ${settled.kind}`)
    const { decision, decided } = settled
    if (decision.decision === 'reject') return { kind: 'rejected', reason: decision.reason, by: decided.by }
    if (decision.edit) {
      edit = edit ? together(edit, decision.edit) : decision.edit
      if (decision.edit.drop.length > 0) droppedBy = decided
    }
    const agreed = decision.decision === 'approve'
    laid = await lay(agreed ? 'agreed' : `lay${turn + 1}`, agreed ? decided : undefined)
    if (agreed) break
  }
  return { kind: 'agreed', laid, droppedBy }
}

/** As one: what every edit leaves out, the newest order with the earlier one behind it, the newest note on each issue. */
function together(before: PlanEdit, { drop, order, notes }: PlanEdit): PlanEdit {
  return {
    drop: [...new Set([...before.drop, ...drop])],
    order: [...new Set([...order, ...before.order])],
    notes: { ...before.notes, ...notes },
  }
}

/** An agent that can't be understood is no reason to begin: it may be the one that has questions. */
function notUnderstood(detail: string): Ending {
  const next = 'start the same work again, or without asking first (people.clarify)'
  return { class: 'infrastructure', detail: `the fixer could not say whether it has questions: ${detail}; ${next}` }
}

function unanswered(count: number, what: string): Ending {
  return { class: 'cancelled', detail: `nobody answered in time: ${count} ${what} open; start the same work again` }
}
