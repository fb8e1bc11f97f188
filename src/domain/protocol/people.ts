// What is said before the first fix and around each wait: questions, the plan, files outside of the scope.

import type { PlanEdit } from '../people/message-schemas.ts'
import type {
  Answered,
  Decided,
  OpenRequest,
  OutsideFile,
  Question,
  ScopeDecision,
} from '../people/validate-messages.ts'
import type { Stage } from '../plan/plan.ts'
import type { CallFailure } from '../session/failure.ts'
import type { WaitingKind } from '../session/session.ts'
import type { Conversation, Timed } from './fix.ts'

interface InTalk extends Timed {
  readonly sessionId: string
  readonly call: string
}

export interface ClarifyInput extends InTalk {
  readonly round: number
  readonly answered: readonly Answered[]
  readonly resume?: Conversation | undefined
}

export interface ClarifyOutcome {
  readonly ready: boolean
  /** New ones, with ids of ours. */
  readonly questions: readonly Question[]
  /** Questions that somebody answered in an earlier session, for the same issue with the same text. */
  readonly reused: readonly Answered[]
  readonly message: string
  readonly conversation?: Conversation | undefined
  readonly failure?: CallFailure | undefined
}

export interface PlanInput extends InTalk {
  readonly answered: readonly Answered[]
  /** The call that made the plan which was rejected, and why it was. */
  readonly rejected?: { readonly call: string; readonly reason: string } | undefined
  readonly resume?: Conversation | undefined
}

export interface PlanOutcome {
  /** The artifact that holds the planner's answer; absent where it could not be used. */
  readonly plan?: string | undefined
  readonly conversation?: Conversation | undefined
  readonly failure?: CallFailure | undefined
}

export interface LayInput extends InTalk {
  readonly answered: readonly Answered[]
  readonly plan?: string | undefined
  /** All edits of the plan so far, in their order. */
  readonly edits: readonly PlanEdit[]
  readonly approved?: Decided | undefined
}

/** The plan as it then holds: made outside of the workflow, so that a later rule can't change a session under way. */
export interface LaidPlan {
  readonly brief: string
  readonly stages: readonly Stage[]
  readonly dropped: readonly string[]
}

export interface ScopeAskInput {
  readonly sessionId: string
  /** The fixer's call whose snapshot reaches outside. */
  readonly call: string
}

export interface ScopeAsk {
  readonly files: readonly OutsideFile[]
  /** How many more there are than the history should hold. */
  readonly more: number
}

export interface SettleScopeInput extends ScopeAskInput {
  readonly decision: ScopeDecision | { readonly decision: 'deadline' }
  readonly decided: Decided
}

export interface Waiting {
  readonly kind?: WaitingKind | undefined
  readonly for: string
  /** The command that answers, where a person can. */
  readonly answer?: string | undefined
  readonly since: number
  readonly until?: number | undefined
}

export interface NoteInput {
  readonly sessionId: string
  readonly call: string
  readonly message: string
  readonly waiting?: Waiting | undefined
  /** What a person is to decide. */
  readonly open?: OpenRequest | undefined
  /** How that was decided in the end. */
  readonly settled?: SettledRequest | undefined
}

export interface SettledRequest {
  readonly kind: OpenRequest['kind']
  readonly how: 'answered' | 'skipped' | 'approve' | 'edit' | 'reject' | 'deadline' | 'cancelled'
  readonly reason?: string | undefined
  /** To the questions of this request. */
  readonly answers: readonly Answered[]
  readonly decided: Decided
}
