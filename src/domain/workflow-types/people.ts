// Inputs and outcomes of the dialogue with people: questions, the plan, files outside of the scope, waits.

import type { PlanEdit } from '../people/message-schemas.ts'
import type {
  AnsweredQuestion,
  ClarificationQuestion,
  DecisionSource,
  OpenRequest,
  OutsideFile,
  ScopeDecision,
} from '../people/validate-messages.ts'
import type { Stage } from '../plan/plan.ts'
import type { Resolution } from '../session/events/wait-events.ts'
import type { CallFailure } from '../session/failure.ts'
import type { WaitingKind } from '../session/session.ts'
import type { MessageRecord } from '../session/store-records.ts'
import type { Conversation, Lane, WithDeadline } from './fix.ts'

interface PlanningStep extends WithDeadline {
  readonly sessionId: string
  readonly stepId: string
}

export interface ClarifyInput extends PlanningStep {
  readonly round: number
  readonly answered: readonly AnsweredQuestion[]
  readonly resume?: Conversation | undefined
}

export interface ClarifyOutcome {
  readonly ready: boolean
  /** New questions, with our ids. */
  readonly questions: readonly ClarificationQuestion[]
  /** Answers from earlier sessions to questions about the same issue with the same text. */
  readonly reused: readonly AnsweredQuestion[]
  readonly message: string
  readonly conversation?: Conversation | undefined
  readonly failure?: CallFailure | undefined
}

export interface PlanInput extends PlanningStep {
  readonly answered: readonly AnsweredQuestion[]
  /** The step of the rejected plan, and the reason for the rejection. */
  readonly rejected?: { readonly stepId: string; readonly reason: string } | undefined
  readonly resume?: Conversation | undefined
}

export interface PlanOutcome {
  /** The artifact with the planner's reply; absent if that was unusable. */
  readonly plan?: string | undefined
  readonly conversation?: Conversation | undefined
  readonly failure?: CallFailure | undefined
}

export interface ApplyPlanInput extends PlanningStep {
  readonly answered: readonly AnsweredQuestion[]
  readonly plan?: string | undefined
  /** All edits so far, in order. */
  readonly edits: readonly PlanEdit[]
  readonly approved?: DecisionSource | undefined
}

/** The plan in force. It is made outside of the workflow, so that a later rule can't change a running session. */
export interface AppliedPlan {
  readonly brief: string
  readonly stages: readonly Stage[]
  readonly dropped: readonly string[]
}

export interface ScopeRequestInput {
  readonly sessionId: string
  /** The fixer's step whose snapshot reaches outside. */
  readonly stepId: string
  readonly lane?: Lane | undefined
}

export interface ScopeRequest {
  readonly files: readonly OutsideFile[]
  /** The number of further files, which are too many for the history. */
  readonly more: number
}

export interface ApplyScopeDecisionInput extends ScopeRequestInput {
  readonly decision: ScopeDecision | { readonly decision: 'deadline' }
  readonly decidedBy: DecisionSource
}

export interface WaitState {
  readonly kind: WaitingKind
  readonly for: string
  /** The command that answers, if a person can. */
  readonly answer?: string | undefined
  readonly since: number
  readonly until?: number | undefined
}

/** A wait, with the request to people if it is one. */
export interface ShownWait {
  readonly waiting: WaitState
  readonly open?: OpenRequest | undefined
}

export interface RecordWaitInput {
  readonly sessionId: string
  readonly stepId: string
  /** The reason for the wait, at its start and its end. */
  readonly reason: string
  readonly waiting?: WaitState | undefined
  readonly open?: OpenRequest | undefined
  readonly lane?: Lane | undefined
  /** The wait that people see, where several lanes wait. */
  readonly shows?: ShownWait | undefined
  readonly resolved?: ResolvedRequest | undefined
}

export interface ResolvedRequest {
  readonly kind: OpenRequest['kind']
  readonly resolution: Resolution
  readonly reason?: string | undefined
  /** Answers to the questions of this request. */
  readonly answers: readonly AnsweredQuestion[]
  readonly decidedBy: DecisionSource
}

export interface PeopleActivities {
  recordWait(input: RecordWaitInput): Promise<void>
  clarify(input: ClarifyInput): Promise<ClarifyOutcome>
  planFixes(input: PlanInput): Promise<PlanOutcome>
  applyPlan(input: ApplyPlanInput): Promise<AppliedPlan>
  prepareScopeRequest(input: ScopeRequestInput): Promise<ScopeRequest>
  applyScopeDecision(input: ApplyScopeDecisionInput): Promise<{ readonly barred: readonly string[] }>
  /** Runs beside other activities: it only writes records. */
  recordMessages(input: { readonly sessionId: string; readonly messages: readonly MessageRecord[] }): Promise<void>
}
