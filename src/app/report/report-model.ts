// What a report holds: one record of a session and its issues, from which every format is made and which `--format json` prints.
// What the store, the gates and the agents wrote down already has its shape in `domain`; here is only what is put together from it.

import type { AgentCallRecord, IssueRecord } from '../../domain/session/records.ts'
import type { IssueFixResult, SessionCommit } from '../../domain/session/session.ts'
import type { ChallengeVerdict, FixClaim } from '../../domain/stage/agent-replies.ts'
import type { TamperingFlag } from '../../domain/tampering/flag.ts'
import type { CommandComparison, VerificationVerdict } from '../../domain/verification/compare-runs.ts'
import type { RegressionProof } from '../../domain/verification/gate-record.ts'
import type { SessionOverview } from '../session/session-overview.ts'
import type { SandboxReport } from './sandbox.ts'

/** `settled`: there was nothing left to do. `open`: the session has not come to it, or went before it was tried. */
export type ReportedState = 'fixed' | 'failed' | 'skipped' | 'settled' | 'false_positive' | 'open'

/** `unverified`: nothing was proven by a command. Only `passed` is passed. */
export type FinalStatus = 'running' | 'passed' | 'failed' | 'unverified' | 'skipped' | 'cancelled'

export interface Report extends SessionOverview {
  /** Whether the session has ended: before that a report is what there is so far. */
  readonly is_over: boolean
  readonly duration_ms: number
  readonly final_status: FinalStatus
  readonly sandbox: SandboxReport
  readonly commits: readonly SessionCommit[]
  readonly issues: readonly IssueReport[]
  readonly decisions: readonly PersonDecision[]
  readonly fix_report: FixReport
}

type ReportedFields = 'issue_code' | 'issue_id' | 'title' | 'description' | 'file' | 'line' | 'severity' | 'category'

export interface IssueReport extends Pick<IssueRecord, ReportedFields> {
  readonly state: ReportedState
  /** Why it is not fixed. */
  readonly reason: string | null
  /** What the session wrote down as its result. */
  readonly outcome: IssueFixResult | null
  /** Committed, and neither a challenger nor a command has looked at it. */
  readonly unproven: boolean
  /** The fixer calls it fixed, and nothing of it was changed. */
  readonly no_changes_applied: boolean
  readonly diff: IssueDiff | null
  /** Changed files that no finding of the session names. */
  readonly outside_files: readonly string[]
  /** What in its files may silence a check. */
  readonly silenced: readonly TamperingFlag[]
  readonly claim: FixClaim | null
  /** Of every tree that holds it, in their order. */
  readonly challenges: readonly ReportedChallenge[]
  readonly verification: IssueVerification | null
  /** Whether its tests fail without it; null where nobody looked, and where the fix was not committed: it is not there to be proven. */
  readonly proof: RegressionProof | null
  readonly iterations: number
  /** Its part of what its calls cost: a call of several issues is divided evenly. */
  readonly cost_usd: number
  /** A part of that is not known. */
  readonly cost_partial: boolean
  readonly tokens: number
  /** With the names of their artifacts: `fixwright logs SESSION` says in which files they lie. */
  readonly calls: readonly Omit<AgentCallRecord, 'session_id' | 'marker' | 'result'>[]
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

/** `score` is the one that decides. */
export interface ReportedChallenge extends ChallengeVerdict {
  readonly step_id: string
  readonly tree: string
}

export interface IssueVerification {
  readonly step_id: string
  readonly tree: string
  readonly verdict: VerificationVerdict
  readonly commands: readonly CommandComparison[]
}

export interface PersonDecision {
  readonly at: string
  readonly kind: 'answer' | 'plan' | 'scope' | 'cancel'
  readonly by: string
  readonly from: string
  readonly text: string
  /** Empty where it is about the whole session. */
  readonly issue_codes: readonly string[]
}

/** The same session as the source documents tell it (S4-5, S4-6): rounds of fixing and verifying. */
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
    /** Whether one of them was answered. */
    readonly success: boolean
    readonly cost_usd: number
    readonly cost_partial: boolean
    readonly tokens: number
  }
  /** Null where no command was run after it. */
  readonly verification: (Pick<IssueVerification, 'verdict' | 'commands'> & { readonly passed: boolean }) | null
  readonly diffAfterFix: { readonly refs: readonly string[]; readonly files: readonly string[] }
  readonly note: 'no changes applied' | null
  readonly duration: number
}
