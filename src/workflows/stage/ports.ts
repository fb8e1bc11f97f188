// Everything that the stage driver needs from outside: the workflow passes Temporal, a unit test passes a table.
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

export interface StagePorts extends WaitPorts {
  fix(input: WithoutSessionId<FixInput>): Promise<FixOutcome>
  verify(input: WithoutSessionId<GateInput>): Promise<VerifyOutcome>
  challenge(input: WithoutSessionId<ChallengeInput>): Promise<ChallengeOutcome>
  prove(input: WithoutSessionId<GateInput>): Promise<ProofOutcome>
  commit(input: WithoutSessionId<CommitInput>): Promise<CommitOutcome>
  merge(input: WithoutSessionId<MergeInput>): Promise<MergeOutcome>
  /** Asks a person about changes of a fixer's agent call outside of its scope. */
  decideScope(stepId: string): Promise<ScopeDecisionOutcome>
}
