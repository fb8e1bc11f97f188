// What the workflow and its activities say to each other. Everything here ends up in Temporal's history, so it is ids,
// verdicts and references: prompts, replies and diffs stay in the artifact store, texts of issues in the issue store.
// The activities by name; what each family of them hears and says has a file of its own, and all of it is imported from here.

import type { MessageRecord } from '../session/records.ts'
import type { FixInput, FixOutcome } from './fix.ts'
import type {
  ChallengeInput,
  ChallengeOutcome,
  CommitInput,
  CommitOutcome,
  GateInput,
  MergeInput,
  MergeOutcome,
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
import type { CloseInput, CreateSessionInput, CreateSessionOutcome, OpenedSession, SessionSummary } from './session.ts'

export type { MessageRecord } from '../session/records.ts'
export type * from './fix.ts'
export type * from './gates.ts'
export * from './names.ts'
export type * from './people.ts'
export type * from './session.ts'

export interface SessionActivities {
  createSession(input: CreateSessionInput): Promise<CreateSessionOutcome>
  openSession(input: { readonly sessionId: string }): Promise<OpenedSession>
  verifyBaseline(input: {
    readonly sessionId: string
    readonly stepId: string
    readonly head: string
  }): Promise<VerifyOutcome>
  fixBatch(input: FixInput): Promise<FixOutcome>
  verifyTree(input: GateInput): Promise<VerifyOutcome>
  challengeTree(input: ChallengeInput): Promise<ChallengeOutcome>
  proveFix(input: GateInput): Promise<ProofOutcome>
  commitStage(input: CommitInput): Promise<CommitOutcome>
  mergeStage(input: MergeInput): Promise<MergeOutcome>
  recordWait(input: RecordWaitInput): Promise<void>
  clarify(input: ClarifyInput): Promise<ClarifyOutcome>
  planFixes(input: PlanInput): Promise<PlanOutcome>
  applyPlan(input: ApplyPlanInput): Promise<AppliedPlan>
  prepareScopeRequest(input: ScopeRequestInput): Promise<ScopeRequest>
  applyScopeDecision(input: ApplyScopeDecisionInput): Promise<{ readonly barred: readonly string[] }>
  /** Beside whatever is under way: it only writes down. */
  recordMessages(input: { readonly sessionId: string; readonly messages: readonly MessageRecord[] }): Promise<void>
  closeSession(input: CloseInput): Promise<SessionSummary>
}
