// An attempt is a tree with its own verdicts. Only a tree whose own verdicts all passed may be committed.
import type { VerificationVerdict } from '../verification/compare-runs.ts'
export interface StageRules {
  readonly maxIterations: number
  readonly solvedThreshold: number
  readonly satisfactionThreshold: number
  readonly challenge: boolean
  readonly verify: boolean
  readonly requiresWholeDiffScore: boolean
  /** Whether a tree has to pass the verification in a fresh checkout before the commit. */
  readonly verifiesFreshCheckout: boolean
  /** Whether a fix that changes tests has to pass them as they were; absent in sessions from before. */
  readonly verifiesOldTests?: boolean
  /** Whether to check that a fix's tests fail without it. */
  readonly provesFixes: boolean
  /** Whether the cause of a failed verification is searched for; without it, the lowest score is left out first. */
  readonly findsCulprits?: boolean | undefined
  /** Whether the challenger is spared a round's tree that fails the verification. */
  readonly skipsFailedChallenges?: boolean | undefined
  /** Whether the extra round counts against `maxIterations`. */
  readonly boundsExtraRound?: boolean | undefined
  /** Whether approved stages of several lanes land together, after one run of the checks. */
  readonly ridesTrains?: boolean | undefined
  /** Attempts after which an issue is blocked; then the fixer's word that it is blocked ends it, too. Absent without a limit. */
  readonly maxAttemptsPerIssue?: number | undefined
}

/** The issues whose changed files a tree takes from a snapshot. */
export interface Selection {
  readonly snapshot: string
  readonly codes: readonly string[]
}

/** The selections of a tree; all other files are those of the stage's base. */
export interface Composition {
  readonly selections: readonly Selection[]
  /** Sets of issues that share changed files in it. */
  readonly owners: readonly (readonly string[])[]
}

export interface IssueVerdict {
  readonly score: number
  readonly blockers: number
}

export interface Attempt extends Composition {
  readonly tree: string
  readonly verification: VerificationVerdict
  /** The challenger's verdicts; an issue that is missing here was not challenged. */
  readonly issues: Readonly<Record<string, IssueVerdict>>
  readonly wholeDiffScore?: number | undefined
  /** Identifies the gates' feedback, so that a repetition is noticed. */
  readonly feedbackKey?: string | undefined
}

/** Issues with changed files in the tree. */
export function listSelectedCodes({ selections }: Composition): string[] {
  return selections.flatMap(({ codes }) => codes)
}

/** Whether the challenger approves of an issue's part, whatever the verification says about the whole tree. */
export function isApproved(code: string, attempt: Attempt, rules: StageRules): boolean {
  if (!listSelectedCodes(attempt).includes(code)) return false
  if (!rules.challenge) return true
  const verdict = attempt.issues[code]
  return verdict !== undefined && verdict.blockers === 0 && verdict.score >= rules.solvedThreshold
}

export function isSolved(code: string, attempt: Attempt, rules: StageRules): boolean {
  return isApproved(code, attempt, rules) && verificationPasses(attempt, rules)
}

/** At least one gate has to have looked: without a challenger, "unverified" is not enough. */
function verificationPasses({ verification }: Attempt, rules: StageRules): boolean {
  return verification === 'passed' || (verification === 'unverified' && rules.challenge)
}

export function wholeDiffPasses({ wholeDiffScore }: Attempt, rules: StageRules): boolean {
  return (
    !rules.challenge ||
    !rules.requiresWholeDiffScore ||
    (wholeDiffScore !== undefined && wholeDiffScore >= rules.satisfactionThreshold)
  )
}

export function passesEveryGate(attempt: Attempt, rules: StageRules): boolean {
  const codes = listSelectedCodes(attempt)
  return codes.length > 0 && codes.every((code) => isSolved(code, attempt, rules)) && wholeDiffPasses(attempt, rules)
}

export function listScores(codes: readonly string[], attempt: Attempt): number[] {
  return codes.flatMap((code) => attempt.issues[code]?.score ?? [])
}

export function mean(scores: readonly number[]): number {
  return scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length
}
