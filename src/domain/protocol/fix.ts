// What a call of the fixer gets and leaves behind, and the conversation that it is a part of.

import type { Batch } from '../plan/plan.ts'
import type { CallFailure } from '../session/failure.ts'
import type { Selection } from '../stage/attempt.ts'

export interface WithDeadline {
  /** When the session's time is over, as things stand now. */
  readonly endsAt?: number | undefined
}

export interface WorkspaceStep extends WithDeadline {
  readonly sessionId: string
  /** Names this step of the session for good: `s2.i1.b1.fix`. Claims, snapshots and events are keyed by it. */
  readonly stepId: string
  /** The commit that the stage stands on. */
  readonly head: string
}

export interface FixInput extends WorkspaceStep {
  readonly stage: number
  readonly batch: Batch
  readonly iteration: number
  readonly codes: readonly string[]
  /** The tree to start from. */
  readonly start: readonly Selection[]
  /** Calls whose verdicts tell the fixer what was wrong with the work so far. */
  readonly feedbackStepIds: readonly string[]
  readonly brief?: string | undefined
  /** The conversation to go on with, in a fork of its own. */
  readonly resume?: Conversation | undefined
}

export interface FixWork {
  readonly snapshot: string
  readonly tree: string
  readonly owners: readonly (readonly string[])[]
  readonly outOfScope: readonly string[]
  readonly violations: readonly string[]
  /** Issues whose changes reach where only a person may let them. */
  readonly needsApproval?: readonly string[] | undefined
  /** Own changed files of each issue, and what the fixer thinks of its work. */
  readonly issues: Readonly<Record<string, IssueWork>>
}

export interface IssueWork {
  readonly files: number
  /** Nothing was changed because there is nothing to fix; `note` is the reason, and without one there is no claim. */
  readonly claim?: 'false_positive'
  readonly message?: string
}

export interface FixOutcome {
  readonly work: FixWork
  readonly failure?: CallFailure | undefined
  /** Absent where the call was not completed: nobody goes on with half a conversation. */
  readonly conversation?: Conversation | undefined
  /** Issues that may spend no more, each with the reason. */
  readonly overspent?: Readonly<Record<string, string>> | undefined
}

/** A conversation of the fixer's, as the last completed call left it. */
export interface Conversation {
  readonly id: string
  /** What it has cost so far: the CLI counts on from there. */
  readonly costUsd?: number | undefined
  /** How much of the model's context it fills. */
  readonly tokens?: number | undefined
  /** The issues whose texts it holds, where those are not all of the session's. */
  readonly codes?: readonly string[] | undefined
}
