// The activities by name. Their inputs and outcomes end up in Temporal's history, so they hold ids, verdicts and references only:
// prompts, replies and diffs stay in the artifact store, texts of issues in the issue store.

import type { MessageRecord } from '../session/store-records.ts'
import type { VoteSummary } from '../vote/vote-record.ts'
import type { CommandActivities } from './commands.ts'
import type { FixInput, FixOutcome } from './fix.ts'
import type { ForgeActivities } from './forge.ts'
import type {
  ChallengeInput,
  ChallengeOutcome,
  CommitInput,
  CommitOutcome,
  GateInput,
  MergeInput,
  MergeOutcome,
  OldTestsOutcome,
  ProofOutcome,
  VerifyOutcome,
} from './gates.ts'
import type {
  AppliedPlan,
  ApplyPlanInput,
  ApplyScopeDecisionInput,
  ClarifyInput,
  ClarifyOutcome,
  PlanInput,
  PlanOutcome,
  RecordWaitInput,
  ScopeRequest,
  ScopeRequestInput,
} from './people.ts'
import type { ReviewActivities } from './review.ts'
import type { CloseInput, CreateSessionInput, CreateSessionOutcome, OpenedSession, SessionSummary } from './session.ts'
import type { CastVoteInput, CastVoteOutcome, CountVotesInput, OpenedVote } from './votes.ts'
import type { WatchActivities } from './watch.ts'

export type { MessageRecord } from '../session/store-records.ts'
export type * from './commands.ts'
export type * from './fix.ts'
export type * from './forge.ts'
export type * from './gates.ts'
export type * from './people.ts'
export type * from './review.ts'
export type * from './session.ts'
export * from './temporal-names.ts'
export type * from './votes.ts'
export type * from './watch.ts'
export * from './webhooks.ts'

export interface SessionActivities extends ReviewActivities, ForgeActivities, WatchActivities, CommandActivities {
  createSession(input: CreateSessionInput): Promise<CreateSessionOutcome>
  openSession(input: { readonly sessionId: string }): Promise<OpenedSession>
  verifyBaseline(input: {
    readonly sessionId: string
    readonly stepId: string
    readonly head: string
  }): Promise<VerifyOutcome>
  nameBranch(input: { readonly sessionId: string; readonly endsAt?: number }): Promise<{ readonly branch: string }>
  fixBatch(input: FixInput): Promise<FixOutcome>
  verifyTree(input: GateInput): Promise<VerifyOutcome>
  challengeTree(input: ChallengeInput): Promise<ChallengeOutcome>
  verifyOldTests(input: GateInput): Promise<OldTestsOutcome>
  proveFix(input: GateInput): Promise<ProofOutcome>
  commitStage(input: CommitInput): Promise<CommitOutcome>
  mergeStage(input: MergeInput): Promise<MergeOutcome>
  openVote(input: { readonly sessionId: string }): Promise<OpenedVote>
  /** Runs beside that of the other voter. */
  castVote(input: CastVoteInput): Promise<CastVoteOutcome>
  countVotes(input: CountVotesInput): Promise<VoteSummary>
  recordWait(input: RecordWaitInput): Promise<void>
  clarify(input: ClarifyInput): Promise<ClarifyOutcome>
  planFixes(input: PlanInput): Promise<PlanOutcome>
  applyPlan(input: ApplyPlanInput): Promise<AppliedPlan>
  prepareScopeRequest(input: ScopeRequestInput): Promise<ScopeRequest>
  applyScopeDecision(input: ApplyScopeDecisionInput): Promise<{ readonly barred: readonly string[] }>
  /** Runs beside other activities: it only writes records. */
  recordMessages(input: { readonly sessionId: string; readonly messages: readonly MessageRecord[] }): Promise<void>
  closeSession(input: CloseInput): Promise<SessionSummary>
}
