// What the gates are asked about a tree and what they say, and how it becomes a commit.

import type { CallFailure } from '../session/failure.ts'
import type { Selection } from '../stage/attempt.ts'
import type { VerificationVerdict } from '../verification/compare-runs.ts'
import type { FixWork, WorkspaceStep } from './fix.ts'

export interface GateInput extends WorkspaceStep {
  readonly selections: readonly Selection[]
  readonly codes: readonly string[]
  readonly iteration: number
  /** Not in the session's own tree, but in a checkout that holds nothing else. */
  readonly inFreshCheckout?: true | undefined
  /** It is about what had passed by then, so that it can be committed: no limit of the session keeps it from being done, or ends it. */
  readonly ignoresLimits?: true | undefined
}

export interface VerifyOutcome {
  readonly verdict: VerificationVerdict
  readonly tree: string
  readonly summary: string
  /** It was in a fresh checkout, asked for or not. */
  readonly inFreshCheckout?: true
  /** Stands for this failure of this tree. Other work that fails in the same words is no standstill: the words are a program's. */
  readonly failureKey?: string | undefined
  /** It was not brought to its end, so it is no verdict. */
  readonly failure?: CallFailure | undefined
}

export interface ProofOutcome {
  readonly verdict: 'proven' | 'not_proven'
}

export interface ChallengeInput extends GateInput {
  /** Earlier challenges of this stage, whose points are settled first. */
  readonly earlierStepIds: readonly string[]
  readonly brief?: string | undefined
  /** Issues that the fixer calls false positives, by the snapshot that holds its reasons. They are not in the tree. */
  readonly claims?: readonly Selection[] | undefined
}

export interface ChallengeOutcome {
  readonly tree: string
  readonly issues: Readonly<Record<string, { readonly score: number; readonly blockers: number }>>
  /** Issues for which no usable verdict came, although it was asked for again: they are not approved. */
  readonly unchallenged: readonly string[]
  readonly wholeDiffScore?: number | undefined
  readonly feedbackKey: string
  /** Of the claims that were put to it, those that it agrees to. */
  readonly agreedClaims?: readonly string[] | undefined
  readonly failure?: CallFailure | undefined
  /** Issues that may spend no more, each with the reason. */
  readonly overspent?: Readonly<Record<string, string>> | undefined
}

export interface CommitInput extends GateInput {
  /** The tree that the gates saw; anything else is refused. */
  readonly tree: string
  readonly challengeStepId?: string | undefined
  readonly verified: VerificationVerdict
  /** The calls that looked whether its tests fail without it. */
  readonly proofStepIds?: readonly string[] | undefined
  readonly at: number
  readonly iterations: Readonly<Record<string, number>>
}

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly sha: string; readonly codes: readonly string[] }
  | { readonly kind: 'moved'; readonly head: string }
  | { readonly kind: 'checked_out'; readonly where: string }

export interface MergeInput extends WorkspaceStep {
  readonly selections: readonly Selection[]
  readonly codes: readonly string[]
  readonly onto: string
  readonly at: number
}

export type MergeOutcome =
  | { readonly kind: 'clean'; readonly work: FixWork }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
