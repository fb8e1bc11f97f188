// A session from its opening to its close, as workflow and activities exchange it.

import type { ErrorCode } from '../errors/error-codes.ts'
import type { Refusal } from '../errors/fixwright-error.ts'
import type { FourEyes } from '../people/check-approver.ts'
import type { AnsweredQuestion, DecisionSource, Dialogue, OpenRequest } from '../people/validate-messages.ts'
import type { Stage } from '../plan/plan.ts'
import type { ReviewSummary } from '../review/review-record.ts'
import type { TrackedFinding } from '../review-fix/tracker.ts'
import type { FailureClass } from '../session/failure.ts'
import type { Order, ReviewOrder, VotesOrder } from '../session/parse-order.ts'
import type { StageRules } from '../stage/attempt.ts'
import type { VoteSummary } from '../vote/vote-record.ts'
import type { Conversation } from './fix.ts'
import type { WaitState } from './people.ts'

/** The input of the workflow: a stored session, or anything else, which is checked as an order. */
export type SessionInput = StoredSessionInput | Order | ReviewOrder | VotesOrder

export interface StoredSessionInput {
  readonly sessionId: string
  /** The task queue of the home whose store has the session; by default the workflow's own. */
  readonly homeQueue?: string | undefined
  /** Set if this run continues an earlier one of the same session. */
  readonly carried?: SessionProgress
}

export interface CreateSessionInput {
  /** As received, not checked yet. */
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
  /** Nothing is left to do for this order: another session does its work or has just done it, or there is no work. */
  | { readonly kind: 'answered'; readonly summary: SessionSummary | JoinedSummary }
  | Refusal

/** The state between two stages: all that has to survive a continue-as-new. */
export interface SessionProgress {
  readonly opened: OpenedSession
  readonly nextStage: number
  /** 0-based places of the stages that are over, in sessions with several lanes. */
  readonly done?: readonly number[] | undefined
  /** Issues known to share a file, in such sessions. */
  readonly sharing?: readonly (readonly string[])[] | undefined
  readonly head: string
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly commits: readonly string[]
  readonly messages: { readonly dialogue: Dialogue; readonly messageCount: number }
  readonly plannedConversation?: Conversation | undefined
  readonly waitedForPeopleMs: number
  /** Of a session that reviewed first. */
  readonly review?: ReviewSummary | undefined
  readonly tracked?: readonly TrackedFinding[] | undefined
}

/** What every kind of session knows once it is open on a host. */
export interface HostedSession {
  /** The task queue of the host that holds the workspace; all activities on the workspace run there. */
  readonly queue: string
  readonly repository: string
  readonly timeouts: Timeouts
  /** The public key of the home, by which its doors' seals are known; absent in sessions from before. */
  readonly senderKey?: string | undefined
  /** Set where somebody else than who started the session has to approve. */
  readonly fourEyes?: FourEyes | undefined
  /** Whether the search attributes follow every wait; absent in sessions from before. */
  readonly showsWaits?: true | undefined
  /** Whether they tell questions and plans from fixing; absent in sessions from before. */
  readonly showsPlanning?: true | undefined
  /** Which of our search attributes the server knows. */
  readonly attributes: readonly string[]
  /** The end of the session's time, before waits for people extend it. Absent without a limit. */
  readonly endsAt?: number | undefined
}

export interface OpenedSession extends HostedSession {
  /** Undefined if there is nothing to do. */
  readonly branch: string | undefined
  readonly base: string
  readonly stages: readonly Stage[]
  readonly rules: StageRules
  /** Whether the checks run on the base before anybody is asked; absent in sessions from before. */
  readonly verifiesBaseFirst?: true | undefined
  /** Whether an agent names the branch once the base is verified; absent in sessions from before. */
  readonly namesBranch?: boolean | undefined
  /** How many stages may be at work at the same time; absent if it is one. */
  readonly lanes?: LaneRules | undefined
  /** Absent if nobody is asked and no agent plans. */
  readonly planning?: PlanningRules | undefined
  /** The artifact that holds the brief. */
  readonly brief?: string | undefined
  readonly continueAfterEvents: number
}

export interface LaneRules {
  readonly count: number
  /** Issues that share a file by their findings, set by set. */
  readonly sharing: readonly (readonly string[])[]
}

export interface Timeouts {
  readonly fixSeconds: number
  /** For questions and plans; absent in sessions from before, like the next two. */
  readonly talkSeconds?: number | undefined
  readonly commitSeconds?: number | undefined
  /** Beyond a process's own deadline: to end it, clean up after it and report. */
  readonly graceSeconds?: number | undefined
  readonly challengeSeconds: number
  readonly verifySeconds: number
  readonly heartbeatSeconds: number
  readonly backoffMinSeconds: number
  readonly backoffMaxSeconds: number
  readonly giveUpAfterSeconds: number
  /** Time for a person to answer, to decide about a plan, to decide about files outside of the scope. */
  readonly clarifySeconds: number
  readonly planSeconds: number
  readonly scopeSeconds: number
}

/** The rules for what happens before the first fix. */
export interface PlanningRules {
  readonly clarify: boolean
  readonly planner: 'rules' | 'agent'
  readonly approvePlan: boolean
  /** Whether the session waits, once nothing is unclear any more, until somebody lets it begin. */
  readonly waitForStart?: boolean | undefined
  readonly maxClarifyRounds: number
  readonly maxPlanRejections: number
}

export interface IssueOutcome {
  /** `ignored`: the challenger agrees with the fixer's false-positive claim. */
  readonly status: 'resolved' | 'failed' | 'open' | 'ignored'
  /** Why it is not resolved, for people; empty if it is. */
  readonly reason: string
  readonly failure?: FailureClass | undefined
  readonly iterations: number
  readonly score?: number | undefined
  readonly commit?: string | undefined
  /** The challenger's step that agreed to ignore it. */
  readonly agreedStepId?: string | undefined
}

export interface Ending {
  readonly class: FailureClass
  readonly detail: string
  /** For programs, where what ended it has one. */
  readonly code?: ErrorCode | undefined
}

export interface CloseInput {
  readonly sessionId: string
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly ending?: Ending | undefined
  readonly at: number
  /** Of a review that was concluded. */
  readonly review?: ReviewSummary | undefined
  /** What each attempt came to, where attempts are limited. */
  readonly tracked?: readonly TrackedFinding[] | undefined
  /** How many lanes may still be at work; absent if there is one. */
  readonly lanes?: number | undefined
  /** The person who ended it, if one did. */
  readonly by?: DecisionSource | undefined
  /** Of a session that votes. */
  readonly votes?: VoteSummary | undefined
}

/** The workflow's result: counts and a reference. The full result is built from the store. */
export interface SessionSummary {
  readonly sessionId: string
  readonly status: 'completed' | 'partial' | 'failed' | 'cancelled' | 'skipped'
  readonly requested: number
  readonly fixed: number
  readonly failed: number
  readonly skipped: number
  /** The number of committed issues that no check proves, where that is refused. */
  readonly unproven?: number
  /** For programs, where what ended it has one. */
  readonly code?: ErrorCode
  /** What a review came to; absent if it failed. */
  readonly review?: Readonly<Record<'confirmed' | 'refuted' | 'unverified' | 'merged' | 'notReviewed', number>>
  /** What two votes came to; without a verdict that can be counted there is no mean. */
  readonly votes?: Pick<VoteSummary, 'verdict' | 'mean'>
}

/** The result of an order whose work another session is doing already. */
export interface JoinedSummary {
  readonly sessionId: string
  readonly status: 'joined'
  /** The workflow of that session. */
  readonly workflowId: string
}

/** The answer to the query `session`. */
export interface SessionView {
  /** Empty while an order is checked. */
  readonly sessionId: string
  readonly phase: string
  readonly stage: number
  readonly stages: number
  readonly branch?: string | undefined
  readonly waiting?: WaitState | undefined
  readonly open?: OpenRequest | undefined
  readonly answered?: readonly AnsweredQuestion[] | undefined
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly commits: readonly string[]
}

/** How a session begins and ends. */
export interface LifecycleActivities {
  createSession(input: CreateSessionInput): Promise<CreateSessionOutcome>
  openSession(input: { readonly sessionId: string }): Promise<OpenedSession>
  nameBranch(input: { readonly sessionId: string; readonly endsAt?: number }): Promise<{ readonly branch: string }>
  closeSession(input: CloseInput): Promise<SessionSummary>
}
