// What the stage driver needs of the world. The workflow gives it Temporal, a unit test gives it a table.
import type {
  ChallengeInput,
  ChallengeOutcome,
  CommitInput,
  CommitOutcome,
  FixInput,
  FixOutcome,
  GateInput,
  MergeInput,
  MergeOutcome,
  ProofOutcome,
  VerifyOutcome,
} from '../../domain/protocol/index.ts'

export type WithoutSessionId<T> = Omit<T, 'sessionId'>

export interface WaitRequest {
  readonly stepId: string
  /** For a provider's limit to pass, or for a person to free the branch. */
  readonly kind: 'limit' | 'branch'
  readonly why: string
  readonly until: number
}

export interface WaitPorts {
  /** Returns when the time has come; the wait survives everything and is on show while it lasts. */
  wait(request: WaitRequest): Promise<void>
  now(): number
  /** When the session's time is over, where it has a limit. */
  endsAt(): number | undefined
}

/** What became of changes that only a person may let through. */
export interface ScopeDecisionOutcome {
  /** Issues that get no further round. */
  readonly barred: readonly string[]
  readonly reason: string
}

export interface StagePorts extends WaitPorts {
  fix(input: WithoutSessionId<FixInput>): Promise<FixOutcome>
  verify(input: WithoutSessionId<GateInput>): Promise<VerifyOutcome>
  challenge(input: WithoutSessionId<ChallengeInput>): Promise<ChallengeOutcome>
  prove(input: WithoutSessionId<GateInput>): Promise<ProofOutcome>
  commit(input: WithoutSessionId<CommitInput>): Promise<CommitOutcome>
  merge(input: WithoutSessionId<MergeInput>): Promise<MergeOutcome>
  /** Asks a person about what a call of the fixer changed outside of its scope. */
  decideScope(stepId: string): Promise<ScopeDecisionOutcome>
}
