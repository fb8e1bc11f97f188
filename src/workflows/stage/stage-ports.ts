// Everything that the stage driver needs from outside: the workflow passes Temporal, a unit test passes a table.
import type { TrackedFinding } from '../../domain/review-fix/tracker.ts'
import type { Selection } from '../../domain/stage/attempt.ts'
import type { CommittedPart, SessionActivities } from '../../domain/workflow-types/index.ts'

export type WithoutSessionId<T> = Omit<T, 'sessionId'>

/** An activity under its own name; the workflow adds the session's id. */
export type SessionStep<Name extends keyof SessionActivities> = (
  input: WithoutSessionId<Parameters<SessionActivities[Name]>[0]>,
) => ReturnType<SessionActivities[Name]>

export interface WaitRequest {
  readonly stepId: string
  /** `limit` waits for a provider's limit to pass, `branch` for a person to free the branch. */
  readonly kind: 'limit' | 'branch'
  readonly why: string
  readonly until: number
}

export interface WaitPorts {
  wait(request: WaitRequest): Promise<void>
  now(): number
  /** When the session's time is over, where it has a limit. */
  endsAt(): number | undefined
}

export interface ScopeDecisionOutcome {
  readonly barred: readonly string[]
  readonly reason: string
}

type StageStep =
  | 'fixBatch'
  | 'verifyTree'
  | 'challengeTree'
  | 'verifyOldTests'
  | 'proveFix'
  | 'commitStage'
  | 'mergeStage'

export type StageActivities = { readonly [Name in StageStep]: SessionStep<Name> }

/** A stage that may land together with others. */
export interface TrainRider {
  /** Puts it onto the head; undefined if it has to land by itself. */
  board(onto: string): Promise<TrainCar | undefined>
}

/** A stage of a train, as it stands on the head. */
export interface TrainCar {
  readonly selections: readonly Selection[]
  readonly codes: readonly string[]
  readonly iteration: number
  readonly iterations: Readonly<Record<string, number>>
  readonly challengeStepId?: string | undefined
  readonly proofStepIds: readonly string[]
}

export interface TrainLanding {
  readonly kind: 'landed'
  readonly head: string
  /** The commits of the whole train. */
  readonly commits: readonly CommittedPart[]
}

export interface WaitingRider extends TrainRider {
  /** Its turn is over: the train has landed it. */
  land(landing: TrainLanding): void
}

/** The way of an approved tree onto the branch, where stages in other lanes land, too. */
export interface LandingPort {
  /**
   * Returns the branch's head once it is this stage's turn. No other stage lands before it leaves. A rider may have been landed by
   * another stage instead.
   */
  enter(rider?: TrainRider): Promise<{ readonly kind: 'turn'; readonly head: string } | TrainLanding>
  /** The others that wait for their turn and may land together with this one, in the plan's order. */
  listRiders(): readonly WaitingRider[]
  leave(): void
  /** The branch has moved: by the stage's own commit, or by a person's. */
  moveTo(head: string): void
}

export interface StagePorts extends StageActivities, WaitPorts {
  /** Absent if no other stage is at work meanwhile. */
  readonly landing?: LandingPort | undefined
  /** Asks a person about changes of a fixer's agent call outside of its scope. */
  decideScope(stepId: string): Promise<ScopeDecisionOutcome>
  /** Waits until a person has mended the challenger's key and resumes the session; false if nobody did in time. */
  readonly waitForKey?: ((why: string, seconds: number) => Promise<boolean>) | undefined
  /** Hears what each attempt came to, where attempts are limited. */
  readonly track?: ((tracked: readonly TrackedFinding[]) => void) | undefined
}
