// The input and outcome of a fixer call, and the conversation that it is part of.

import type { Batch } from '../plan/plan.ts'
import type { CallFailure } from '../session/failure.ts'
import type { Selection } from '../stage/attempt.ts'

export interface WithDeadline {
  /** The end of the session's time as it stands now. */
  readonly endsAt?: number | undefined
}

/** One of several work trees of a session. */
export interface Lane {
  /** 1-based; the first one is the session's own. */
  readonly number: number
  /** How many lanes may be at work at once: they share the budgets. */
  readonly of: number
}

export interface WorkspaceStep extends WithDeadline {
  readonly sessionId: string
  /** Names this step of the session for good: `s2.i1.b1.fix`. Claims, snapshots and events are keyed by it. */
  readonly stepId: string
  /** The commit that the stage stands on. */
  readonly head: string
  /** Absent in sessions with one. */
  readonly lane?: Lane | undefined
}

export interface FixInput extends WorkspaceStep {
  readonly stage: number
  readonly batch: Batch
  readonly iteration: number
  readonly codes: readonly string[]
  /** The tree to start from. */
  readonly start: readonly Selection[]
  /** Gate steps whose verdicts tell the fixer what was wrong so far. */
  readonly feedbackStepIds: readonly string[]
  readonly brief?: string | undefined
  /** The conversation to resume, in a fork of its own. */
  readonly resume?: Conversation | undefined
}

export interface FixWork {
  readonly snapshot: string
  readonly tree: string
  readonly owners: readonly (readonly string[])[]
  readonly outOfScope: readonly string[]
  readonly violations: readonly string[]
  /** Issues with changes that only a person may allow. */
  readonly needsApproval?: readonly string[] | undefined
  /** Issues of other calls whose files it changed; known only in sessions with several lanes. */
  readonly alsoTouched?: readonly string[] | undefined
  /** For each issue its number of changed files, and the fixer's own view. */
  readonly issues: Readonly<Record<string, IssueWork>>
}

export interface IssueWork {
  readonly files: number
  /** A false-positive claim: nothing was changed because there is nothing to fix, for the reason in `message`. */
  readonly claim?: 'false_positive'
  /** Nothing was changed, because only a person can give what it needs. */
  readonly isBlocked?: true
  /** Its file is not there any more, so nobody was asked. */
  readonly isGone?: true
  readonly message?: string
}

export interface FixOutcome {
  readonly work: FixWork
  readonly failure?: CallFailure | undefined
  /** Absent if the call was not completed: nobody resumes half a conversation. */
  readonly conversation?: Conversation | undefined
  /** Reasons by issue, for issues that may spend no more. */
  readonly overspent?: Readonly<Record<string, string>> | undefined
}

/** A fixer's conversation, as the last completed call left it. */
export interface Conversation {
  readonly id: string
  /** Its cost so far: the CLI counts on from there. */
  readonly costUsd?: number | undefined
  /** Tokens of the model's context that it fills. */
  readonly tokens?: number | undefined
  /** The issues whose texts it holds, if not all of the session's. */
  readonly codes?: readonly string[] | undefined
}

export interface FixActivities {
  fixBatch(input: FixInput): Promise<FixOutcome>
}
