// A session from its opening to its close, as the workflow and its activities tell it: what it knows, what it came to, what it shows.

import type { Refusal } from '../errors/fixwright-error.ts'
import type { AnsweredQuestion, DecisionSource, Dialogue, OpenRequest } from '../people/validate-messages.ts'
import type { Stage } from '../plan/plan.ts'
import type { FailureClass } from '../session/failure.ts'
import type { Order } from '../session/order.ts'
import type { StageRules } from '../stage/attempt.ts'
import type { Conversation } from './fix.ts'
import type { WaitState } from './people.ts'

/** What the workflow is started with. Whatever is no session that was put down in a store is looked at as an order. */
export type SessionInput = StoredSessionInput | Order

export interface StoredSessionInput {
  readonly sessionId: string
  /** The task queue of the home that has the session in its store. Without it, the workflow's own. */
  readonly homeQueue?: string | undefined
  /** Set when an earlier run of the same session continues as this one. */
  readonly carried?: SessionProgress
}

export interface CreateSessionInput {
  /** As it came: nobody has looked at it yet. */
  readonly order: unknown
}

export type CreateSessionOutcome =
  | {
      readonly kind: 'created'
      readonly sessionId: string
      readonly homeQueue: string
      readonly repository: string
      /** Which of our search attributes the server knows. */
      readonly attributes: readonly string[]
    }
  /** Nothing is left to do for this order: another session is at its work, or has just done it, or there is none. */
  | { readonly kind: 'answered'; readonly summary: SessionSummary | JoinedSummary }
  /** Nothing was changed. */
  | Refusal

/** What a session knows between two stages: all that has to survive a continue-as-new. */
export interface SessionProgress {
  readonly opened: OpenedSession
  readonly nextStage: number
  readonly head: string
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly commits: readonly string[]
  /** What people said so far. */
  readonly messages: { readonly dialogue: Dialogue; readonly messageCount: number }
  readonly plannedConversation?: Conversation | undefined
  /** Milliseconds that people took to answer. */
  readonly waitedForPeopleMs: number
}

export interface OpenedSession {
  /** The task queue of the host that holds the workspace: everything on it runs there. */
  readonly queue: string
  readonly repository: string
  /** None where there is nothing to do. */
  readonly branch: string | undefined
  readonly base: string
  readonly stages: readonly Stage[]
  readonly rules: StageRules
  readonly timeouts: Timeouts
  /** Absent where nobody is asked and nothing is planned by an agent. */
  readonly planning?: PlanningRules | undefined
  /** The artifact that holds what fixers are told besides the issues. */
  readonly brief?: string | undefined
  /** Which of our search attributes the server knows. */
  readonly attributes: readonly string[]
  readonly continueAfterEvents: number
  /** When the session's time is over, but for what it waits for people. Absent where nothing limits it. */
  readonly endsAt?: number | undefined
}

export interface Timeouts {
  readonly fixSeconds: number
  readonly challengeSeconds: number
  readonly verifySeconds: number
  readonly heartbeatSeconds: number
  readonly backoffMinSeconds: number
  readonly backoffMaxSeconds: number
  readonly giveUpAfterSeconds: number
  /** A person's time to answer, to look at a plan, to decide about a file outside of the scope. */
  readonly clarifySeconds: number
  readonly planSeconds: number
  readonly scopeSeconds: number
}

/** What people have a say in before the first fix. */
export interface PlanningRules {
  readonly clarify: boolean
  readonly planner: 'rules' | 'agent'
  readonly approvePlan: boolean
  readonly maxClarifyRounds: number
  readonly maxPlanRejections: number
}

export interface IssueOutcome {
  /** `ignored`: the fixer says that there is nothing to fix, and the challenger agrees. */
  readonly status: 'resolved' | 'failed' | 'open' | 'ignored'
  /** Why it is not resolved, for a person; empty where it is. */
  readonly reason: string
  readonly failure?: FailureClass | undefined
  readonly iterations: number
  readonly score?: number | undefined
  readonly commit?: string | undefined
  /** The challenger's call that agreed to ignore it. */
  readonly agreedStepId?: string | undefined
}

export interface Ending {
  readonly class: FailureClass
  readonly detail: string
}

export interface CloseInput {
  readonly sessionId: string
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly ending?: Ending | undefined
  readonly at: number
  /** Who ended it, where a person did. */
  readonly by?: DecisionSource | undefined
}

/** What the workflow answers: counts and a reference; the whole result is built from the store. */
export interface SessionSummary {
  readonly sessionId: string
  readonly status: 'completed' | 'partial' | 'failed' | 'cancelled' | 'skipped'
  readonly requested: number
  readonly fixed: number
  readonly failed: number
  readonly skipped: number
}

/** What the workflow of an order answers whose work another session is doing already. */
export interface JoinedSummary {
  readonly sessionId: string
  readonly status: 'joined'
  /** Of that session. */
  readonly workflowId: string
}

/** What the query `session` shows. */
export interface SessionView {
  /** Empty as long as an order is looked at. */
  readonly sessionId: string
  readonly phase: string
  readonly stage: number
  readonly stages: number
  readonly branch?: string | undefined
  readonly waiting?: WaitState | undefined
  /** What a person is asked now; what was answered and decided so far. */
  readonly open?: OpenRequest | undefined
  readonly answered?: readonly AnsweredQuestion[] | undefined
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly commits: readonly string[]
}
