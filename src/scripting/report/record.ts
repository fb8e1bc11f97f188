// What a report holds: one record of a session and its issues, from which every format is made and which `--format json` prints.
import type { Comparison, VerificationVerdict } from '../../domain/evidence.ts'
import type { Severity } from '../../domain/issue.ts'
import type { CallRecord } from '../../domain/records.ts'
import type { Point, QualityScores } from '../../domain/score.ts'
import type { IssueFixResult, SessionCommit } from '../../domain/session.ts'
import type { Overview } from '../overview.ts'

/** `settled`: there was nothing left to do. `open`: the session has not come to it, or went before it was tried. */
export type IssueState = 'fixed' | 'failed' | 'skipped' | 'settled' | 'false_positive' | 'open'

/** `unverified`: nothing was proven by a command. Only `passed` is passed. */
export type FinalStatus = 'running' | 'passed' | 'failed' | 'unverified' | 'skipped' | 'cancelled'

export interface Report extends Overview {
  /** Whether the session has ended: before that a report is what there is so far. */
  readonly is_over: boolean
  readonly duration_ms: number
  readonly final_status: FinalStatus
  readonly commits: readonly SessionCommit[]
  readonly issues: readonly IssueReport[]
  readonly decisions: readonly Decision[]
  readonly fix_report: FixReport
}

export interface IssueReport {
  readonly issue_code: string
  readonly issue_id: string
  readonly title: string
  readonly description: string
  readonly file: string
  readonly line: string | null
  readonly severity: Severity
  readonly category: string | null
  readonly state: IssueState
  /** Why it is not fixed. */
  readonly reason: string | null
  /** What the session wrote down as its result. */
  readonly outcome: IssueFixResult | null
  /** Committed, and neither a challenger nor a command has looked at it. */
  readonly unproven: boolean
  readonly diff: IssueDiff | null
  /** Changed files that no finding of the session names. */
  readonly outside_files: readonly string[]
  readonly claim: Claim | null
  /** Of every tree that holds it, in their order. */
  readonly challenges: readonly Challenge[]
  readonly verification: IssueVerification | null
  readonly iterations: number
  /** Its part of what its calls cost: a call of several issues is divided evenly. */
  readonly cost_usd: number
  readonly calls: readonly CallEvidence[]
}

export interface IssueDiff {
  /** `commit`: as git has it. `glimpse`: the commit is gone, this is its beginning. `attempt`: the last try, which was not committed. */
  readonly source: 'commit' | 'attempt' | 'glimpse'
  readonly files: readonly string[]
  /** Other issues that the same files belong to: git can't tell their changes apart. */
  readonly shared_with: readonly string[]
  readonly text: string
  readonly is_cut: boolean
}

export interface Claim {
  readonly status: string
  readonly summary: string
  readonly confidence: number | null
  readonly risks: readonly string[]
}

export interface Challenge {
  readonly call: string
  readonly tree: string
  readonly score: number | null
  readonly weighted_score: number | null
  readonly quality_scores: QualityScores | null
  readonly feedback: string
  readonly improvements_needed: readonly string[]
  readonly points: readonly Point[]
}

export interface IssueVerification {
  readonly call: string
  readonly tree: string
  readonly verdict: VerificationVerdict
  readonly commands: readonly Comparison[]
}

/** A reference is the name of an artifact: `fixwright logs SESSION` says in which file it lies. */
export type CallEvidence = Pick<CallRecord, 'key' | 'role' | 'attempt' | 'state'> & {
  readonly model: string | null
  readonly cost_usd: number | null
  readonly duration_ms: number | null
  readonly prompt_ref: string | null
  readonly reply_ref: string | null
  readonly transcript_ref: string | null
}

export interface Decision {
  readonly at: string
  readonly kind: 'answer' | 'plan' | 'scope' | 'cancel'
  readonly by: string
  readonly from: string
  readonly words: string
  /** Empty where it is about the whole session. */
  readonly issue_codes: readonly string[]
}

/** The same session as the source documents tell it: rounds of fixing and verifying. */
export interface FixReport {
  readonly cycles: readonly FixCycle[]
  readonly finalStatus: FinalStatus
  readonly totalCycles: number
  readonly fixesApplied: number
  /** Milliseconds, as all durations. */
  readonly duration: number
}

export interface FixCycle {
  readonly cycle: number
  readonly agentResult: {
    readonly calls: readonly string[]
    readonly issues: readonly string[]
    /** Whether one of its calls was answered. */
    readonly success: boolean
    readonly cost_usd: number
  }
  /** Null where no command was run after it. */
  readonly verification: {
    readonly passed: boolean
    readonly verdict: VerificationVerdict
    readonly commands: readonly Comparison[]
  } | null
  readonly diffAfterFix: { readonly refs: readonly string[]; readonly files: readonly string[] }
  /** `no changes applied`. */
  readonly note: string | null
  readonly duration: number
}
