// What the stage driver needs of the world. The workflow gives it Temporal, a unit test gives it a table.
import type {
  ChallengeInput,
  ChallengeOutcome,
  CommitInput,
  CommitOutcome,
  FixInput,
  FixOutcome,
  JudgeInput,
  MergeInput,
  MergeOutcome,
  VerifyOutcome,
} from '../domain/protocol.ts'

type Named<T> = Omit<T, 'sessionId'>

export interface StagePorts {
  fix(input: Named<FixInput>): Promise<FixOutcome>
  verify(input: Named<JudgeInput>): Promise<VerifyOutcome>
  challenge(input: Named<ChallengeInput>): Promise<ChallengeOutcome>
  commit(input: Named<CommitInput>): Promise<CommitOutcome>
  merge(input: Named<MergeInput>): Promise<MergeOutcome>
  /** Returns when the time has come; the wait survives everything and is on show while it lasts. */
  wait(call: string, why: string, until: number): Promise<void>
  now(): number
}
