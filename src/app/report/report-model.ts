// The record of a session and its issues that every format is made from and `--format json` prints. Only what a report
// combines is defined here; the shapes of the stored records are in `domain`.

import type { Issue } from '../../domain/issue/issue.ts'
import type { IssueFixResult, SessionCommit } from '../../domain/session/session.ts'
import type { SessionOverview } from '../../domain/session/session-state.ts'
import type { AgentCallRecord } from '../../domain/session/store-records.ts'
import type { ChallengeVerdict, FixClaim } from '../../domain/stage/reply-schemas.ts'
import type { TamperingFlag } from '../../domain/tampering/tampering-flag.ts'
import type { CommandComparison, VerificationVerdict } from '../../domain/verification/compare-runs.ts'
import type { RegressionProof } from '../../domain/verification/gate-record.ts'
import type { CheckTime } from './check-time.ts'
import type { SandboxReport } from './sandbox-report.ts'

/** `settled`: nothing was left to do. `open`: the session has not reached the issue, or ended before trying it. */
export type ReportedState = 'fixed' | 'failed' | 'skipped' | 'settled' | 'false_positive' | 'open'

/** `unproven`: everything is fixed, and no command proves part of it. */
export type FinalStatus = 'running' | 'passed' | 'failed' | 'unproven' | 'skipped' | 'cancelled'

export interface Report extends SessionOverview {
  /** Whether the session has ended; before, the report covers the progress so far. */
  readonly is_over: boolean
  readonly duration_ms: number
  readonly final_status: FinalStatus
  readonly sandbox: SandboxReport
  /** What each run of setup and checks was for, and what it took. */
  readonly check_times: readonly CheckTime[]
  readonly commits: readonly SessionCommit[]
  readonly issues: readonly IssueReport[]
  readonly decisions: readonly PersonDecision[]
  readonly fix_report: FixReport
}

export interface IssueReport extends Issue {
  readonly state: ReportedState
  /** Why the issue is not fixed. */
  readonly reason: string | null
  /** The session's recorded result for the issue. */
  readonly outcome: IssueFixResult | null
  /** Why no command proves the committed fix. */
  readonly unproven: string | null
  /** The fixer claims a fix, but changed nothing for the issue. */
  readonly no_changes_applied: boolean
  readonly diff: IssueDiff | null
  /** Changed files that no finding of the session names. */
  readonly outside_files: readonly string[]
  /** Changes in the issue's files that may silence a check. */
  readonly silenced: readonly TamperingFlag[]
  readonly claim: FixClaim | null
  /** The verdicts on every tree that holds the issue, in order. */
  readonly challenges: readonly ReportedChallenge[]
  readonly verification: IssueVerification | null
  /** Whether the issue's tests fail without the fix; null if nobody checked, or if the fix was not committed. */
  readonly proof: RegressionProof | null
  readonly iterations: number
  /** The issue's part of its calls' cost: the cost of a call is divided evenly among its issues. */
  readonly cost_usd: number
  /** Part of the cost is unknown. */
  readonly cost_partial: boolean
  readonly tokens: number
  /** The agent calls with the names of their artifacts; `fixwright logs SESSION` shows their files. */
  readonly calls: readonly Omit<AgentCallRecord, 'session_id' | 'marker' | 'result'>[]
}

export interface IssueDiff {
  /** `commit`: from git. `glimpse`: the start of a lost commit's diff. `attempt`: the last attempt, never committed. */
  readonly source: 'commit' | 'attempt' | 'glimpse'
  readonly files: readonly string[]
  /** Other issues with the same files: git can't tell their changes apart. */
  readonly shared_with: readonly string[]
  readonly text: string
  readonly is_cut: boolean
}

/** `score` is the score that decides. */
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
  /** Empty if the decision concerns the whole session. */
  readonly issue_codes: readonly string[]
}

/** The session in the shape of the source documents (S4-5, S4-6): rounds of fixing and verifying. */
export interface FixReport {
  readonly cycles: readonly FixCycle[]
  readonly finalStatus: FinalStatus
  readonly totalCycles: number
  readonly fixesApplied: number
  /** In milliseconds, as all durations. */
  readonly duration: number
}

export interface FixCycle {
  readonly cycle: number
  readonly agentResult: {
    readonly calls: readonly string[]
    readonly issues: readonly string[]
    /** Whether at least one call was answered. */
    readonly success: boolean
    readonly cost_usd: number
    readonly cost_partial: boolean
    readonly tokens: number
  }
  /** Null if no command ran after the fix. */
  readonly verification: (Pick<IssueVerification, 'verdict' | 'commands'> & { readonly passed: boolean }) | null
  readonly diffAfterFix: { readonly refs: readonly string[]; readonly files: readonly string[] }
  readonly note: 'no changes applied' | null
  readonly duration: number
}
