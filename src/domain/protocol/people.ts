// What is said before the first fix and around each wait: questions, the plan, files outside of the scope.

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
import type { Conversation, WithDeadline } from './fix.ts'

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
  /** New ones, with ids of ours. */
  readonly questions: readonly ClarificationQuestion[]
  /** Questions that somebody answered in an earlier session, for the same issue with the same text. */
  readonly reused: readonly AnsweredQuestion[]
  readonly message: string
  readonly conversation?: Conversation | undefined
  readonly failure?: CallFailure | undefined
}

export interface PlanInput extends PlanningStep {
  readonly answered: readonly AnsweredQuestion[]
  /** The call that made the plan which was rejected, and why it was. */
  readonly rejected?: { readonly stepId: string; readonly reason: string } | undefined
  readonly resume?: Conversation | undefined
}

export interface PlanOutcome {
  /** The artifact that holds the planner's answer; absent where it could not be used. */
  readonly plan?: string | undefined
  readonly conversation?: Conversation | undefined
  readonly failure?: CallFailure | undefined
}

export interface ApplyPlanInput extends PlanningStep {
  readonly answered: readonly AnsweredQuestion[]
  readonly plan?: string | undefined
  /** All edits of the plan so far, in their order. */
  readonly edits: readonly PlanEdit[]
  readonly approved?: DecisionSource | undefined
}

/** The plan as it then holds: made outside of the workflow, so that a later rule can't change a session under way. */
export interface AppliedPlan {
  readonly brief: string
  readonly stages: readonly Stage[]
  readonly dropped: readonly string[]
}

export interface ScopeRequestInput {
  readonly sessionId: string
  /** The fixer's call whose snapshot reaches outside. */
  readonly stepId: string
}

export interface ScopeRequest {
  readonly files: readonly OutsideFile[]
  /** How many more there are than the history should hold. */
  readonly more: number
}

export interface ApplyScopeDecisionInput extends ScopeRequestInput {
  readonly decision: ScopeDecision | { readonly decision: 'deadline' }
  readonly decidedBy: DecisionSource
}

export interface WaitState {
  readonly kind: WaitingKind
  readonly for: string
  /** The command that answers, where a person can. */
  readonly answer?: string | undefined
  readonly since: number
  readonly until?: number | undefined
}

export interface RecordWaitInput {
  readonly sessionId: string
  readonly stepId: string
  /** What is waited for, or was. */
  readonly reason: string
  readonly waiting?: WaitState | undefined
  /** What a person is to decide. */
  readonly open?: OpenRequest | undefined
  /** How that was decided in the end. */
  readonly resolved?: ResolvedRequest | undefined
}

export interface ResolvedRequest {
  readonly kind: OpenRequest['kind']
  readonly resolution: Resolution
  readonly reason?: string | undefined
  /** To the questions of this request. */
  readonly answers: readonly AnsweredQuestion[]
  readonly decidedBy: DecisionSource
}
