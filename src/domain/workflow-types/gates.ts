// Inputs and outcomes of the gates, of the commit and of a merge.

import type { CallFailure } from '../session/failure.ts'
import type { Selection } from '../stage/attempt.ts'
import type { StartRefusal } from '../verification/broken-checks.ts'
import type { VerificationVerdict } from '../verification/compare-runs.ts'
import type { FixWork, WorkspaceStep } from './fix.ts'

export interface GateInput extends WorkspaceStep {
  readonly selections: readonly Selection[]
  readonly codes: readonly string[]
  readonly iteration: number
  /** Runs in a checkout that holds nothing but the tree, and not in the session's own work tree. */
  readonly inFreshCheckout?: true | undefined
  /**
   * Puts what had passed before a limit through the gates, so that it can be committed: no limit of the session prevents or ends it.
   */
  readonly ignoresLimits?: true | undefined
  /** The issues of each stage of a train, in the order in which they land. No two of them may change the same file. */
  readonly cars?: readonly (readonly string[])[] | undefined
}

export interface VerifyOutcome {
  readonly verdict: VerificationVerdict
  readonly tree: string
  readonly summary: string
  /** The verification ran in a fresh checkout, requested or not. */
  readonly inFreshCheckout?: true
  /** Identifies this failure of this tree. Other work that fails in the same words has not stalled: the words are a program's. */
  readonly failureKey?: string | undefined
  /** Of a failure: the issues whose changed files its output names. */
  readonly suspects?: readonly string[] | undefined
  /** Of a failure: all has to pass, and some of what fails was red before any fix. So no part of the tree passes either. */
  readonly failedBefore?: true | undefined
  /** Of a trial's failure: every check ran, and only what was red before any fix fails. So the tree passes with the part that mends it. */
  readonly brokeNothing?: true | undefined
  /** The run did not complete, so there is no verdict. */
  readonly failure?: CallFailure | undefined
  /** On the base: why the session ends before its first fix. */
  readonly refusal?: StartRefusal | undefined
}

/** The checks on a tree with all changed tests, and what runs them, as on the stage's base. */
export interface OldTestsOutcome {
  /** `refuted`: something that held on the base does not hold any more. */
  readonly verdict: 'held' | 'refuted'
  readonly summary: string
  /** Identifies the changed tests, so that the same change is recognised when the fixer insists on it. */
  readonly testsKey: string
  /** Issues that a setting bars for it, without a question to anybody. */
  readonly rejected?: readonly string[]
  /** Some command turned green only with the changed tests. */
  readonly leavesUnproven?: true
}

export interface ProofOutcome {
  readonly verdict: 'proven' | 'not_proven'
}

export interface ChallengeInput extends GateInput {
  /** Earlier challenges of this stage, whose points the challenger settles first. */
  readonly earlierStepIds: readonly string[]
  readonly brief?: string | undefined
  /** False-positive claims, by the snapshot that holds the reasons. The tree has no changes for them. */
  readonly claims?: readonly Selection[] | undefined
}

export interface ChallengeOutcome {
  readonly tree: string
  readonly issues: Readonly<Record<string, { readonly score: number; readonly blockers: number }>>
  /** Issues without a usable verdict even after a second request: they are not approved. */
  readonly unchallenged: readonly string[]
  readonly wholeDiffScore?: number | undefined
  readonly feedbackKey: string
  /** Issues whose false-positive claims the challenger agrees with. */
  readonly agreedClaims?: readonly string[] | undefined
  readonly failure?: CallFailure | undefined
  /** Reasons by issue, for issues that may spend no more. */
  readonly overspent?: Readonly<Record<string, string>> | undefined
}

export interface CommitInput extends GateInput {
  /** The tree that the gates saw; any other is refused. */
  readonly tree: string
  readonly challengeStepId?: string | undefined
  /** Of a train, those of its stages. */
  readonly challengeStepIds?: readonly string[] | undefined
  readonly verified: VerificationVerdict
  /** Steps that checked whether the fix's tests fail without it. */
  readonly proofStepIds?: readonly string[] | undefined
  readonly at: number
  readonly iterations: Readonly<Record<string, number>>
}

export interface CommittedPart {
  readonly sha: string
  readonly codes: readonly string[]
}

export type CommitOutcome =
  | (CommittedPart & {
      readonly kind: 'committed'
      /** The commits in order, if there are several; `sha` is the last one, `codes` are those of all. */
      readonly commits?: readonly CommittedPart[] | undefined
    })
  | { readonly kind: 'moved'; readonly head: string }
  | { readonly kind: 'checked_out'; readonly where: string }

export interface MergeInput extends WorkspaceStep {
  readonly selections: readonly Selection[]
  readonly codes: readonly string[]
  readonly onto: string
  readonly at: number
  /** The challenge of the tree; it is recorded for the merged one, too, if the diff is the same. */
  readonly challengeStepId?: string | undefined
}

export type MergeOutcome =
  | {
      readonly kind: 'clean'
      readonly work: FixWork
      /** What the stage changes is the same byte for byte on the new commit. */
      readonly isSameDiff?: true | undefined
    }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }

export interface GateActivities {
  verifyBaseline(input: Pick<WorkspaceStep, 'sessionId' | 'stepId' | 'head'>): Promise<VerifyOutcome>
  verifyTree(input: GateInput): Promise<VerifyOutcome>
  challengeTree(input: ChallengeInput): Promise<ChallengeOutcome>
  verifyOldTests(input: GateInput): Promise<OldTestsOutcome>
  proveFix(input: GateInput): Promise<ProofOutcome>
  commitStage(input: CommitInput): Promise<CommitOutcome>
  mergeStage(input: MergeInput): Promise<MergeOutcome>
}
