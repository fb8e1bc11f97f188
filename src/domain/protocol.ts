// What the workflow and its activities say to each other. Everything here ends up in Temporal's history, so it is ids,
// verdicts and references: prompts, replies and diffs stay in the artifact store, texts of issues in the issue store.
import type { CallFailure, FailureClass } from './failure.ts'
import type { PlanEdit } from './messages.ts'
import type { Answered, Decided, Dialogue, OpenRequest, OutsideFile, Question, ScopeDecision } from './people.ts'
import type { Batch, Stage } from './plan.ts'
import type { Said } from './records.ts'
import type { WaitingKind } from './session.ts'
import type { Pick, StageRules } from './stage.ts'

export type { Said } from './records.ts'

export interface SessionInput {
  readonly sessionId: string
  /** Set when an earlier run of the same session continues as this one. */
  readonly carried?: SessionProgress
}

/** What a session knows between two stages: all that has to survive a continue-as-new. */
export interface SessionProgress {
  readonly opened: OpenedSession
  readonly nextStage: number
  readonly head: string
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly commits: readonly string[]
  /** What people said so far. */
  readonly desk?: { readonly dialogue: Dialogue; readonly heard: number } | undefined
  readonly planned?: Conversation | undefined
  /** Milliseconds that people took to answer. */
  readonly waited?: number | undefined
}

export interface Clocks {
  readonly fixSeconds: number
  readonly challengeSeconds: number
  readonly verifySeconds: number
  readonly heartbeatSeconds: number
  readonly backoffMinSeconds: number
  readonly backoffMaxSeconds: number
  readonly giveUpAfterSeconds: number
  /** A person's time to answer, to look at a plan, to decide about a file outside of the scope. */
  readonly clarifySeconds?: number | undefined
  readonly planSeconds?: number | undefined
  readonly scopeSeconds?: number | undefined
}

/** What people have a say in before the first fix. */
export interface Talk {
  readonly clarify: boolean
  readonly planner: 'rules' | 'agent'
  readonly approvePlan: boolean
  readonly maxClarifyRounds: number
  readonly maxPlanRejections: number
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

/** Where a host takes what may run for long, a few at a time. What is short has the host's own queue and never waits for it. */
export function longWorkQueue(hostQueue: string): string {
  return `${hostQueue}-long`
}

export interface OpenedSession {
  /** The task queue of the host that holds the workspace: everything on it runs there. */
  readonly queue: string
  readonly repository: string
  /** None where there is nothing to do. */
  readonly branch: string | undefined
  readonly base: string
  readonly stages: readonly Stage[]
  readonly rules: StageRules
  readonly clocks: Clocks
  /** Absent where nobody is asked and nothing is planned by an agent. */
  readonly talk?: Talk | undefined
  /** The artifact that holds what fixers are told besides the issues. */
  readonly brief?: string | undefined
  /** Which of our search attributes the server knows. */
  readonly attributes: readonly string[]
  readonly continueAfterEvents: number
  /** When the session's time is over, but for what it waits for people. Absent where nothing limits it. */
  readonly endsAt?: number | undefined
}

export interface IssueOutcome {
  /** `ignored`: the fixer says that there is nothing to fix, and the challenger agrees. */
  readonly status: 'resolved' | 'failed' | 'open' | 'ignored'
  /** Why it is not resolved, for a person; empty where it is. */
  readonly reason: string
  readonly failure?: FailureClass | undefined
  readonly iterations: number
  readonly score?: number | undefined
  readonly commit?: string | undefined
  /** The challenger's call that agreed to ignore it. */
  readonly agreed?: string | undefined
}

interface Timed {
  /** When the session's time is over, as things stand now. */
  readonly endsAt?: number | undefined
}

interface OnWorkspace extends Timed {
  readonly sessionId: string
  /** Names this step of the session for good: `s2.i1.b1.fix`. Claims, snapshots and events are keyed by it. */
  readonly call: string
  /** The commit that the stage stands on. */
  readonly head: string
}

export interface FixInput extends OnWorkspace {
  readonly stage: number
  readonly batch: Batch
  readonly iteration: number
  readonly codes: readonly string[]
  /** The tree to start from. */
  readonly start: readonly Pick[]
  /** Calls whose verdicts tell the fixer what was wrong with the work so far. */
  readonly feedback: readonly string[]
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
  readonly asking?: readonly string[] | undefined
  /** Own changed files of each issue, and what the fixer thinks of its work. */
  readonly issues: Readonly<Record<string, IssueWork>>
}

export interface IssueWork {
  readonly files: number
  /** Nothing was changed because there is nothing to fix; `note` is the reason, and without one there is no claim. */
  readonly claim?: 'false_positive'
  readonly note?: string
}

export interface FixOutcome {
  readonly work: FixWork
  readonly failure?: CallFailure | undefined
  /** Absent where the call was not completed: nobody goes on with half a conversation. */
  readonly conversation?: Conversation | undefined
  /** Issues that may spend no more, each with the reason. */
  readonly spent?: Readonly<Record<string, string>> | undefined
}

export interface JudgeInput extends OnWorkspace {
  readonly picks: readonly Pick[]
  readonly codes: readonly string[]
  readonly iteration: number
  /** Not in the session's own tree, but in a checkout that holds nothing else. */
  readonly fresh?: true | undefined
}

export interface VerifyOutcome {
  readonly verdict: 'passed' | 'failed' | 'unverified'
  readonly tree: string
  readonly summary: string
  /** It was in a fresh checkout, asked for or not. */
  readonly fresh?: true
  /** Stands for this failure of this tree. Other work that fails in the same words is no standstill: the words are a program's. */
  readonly words?: string | undefined
  /** It was not brought to its end, so it is no verdict. */
  readonly failure?: CallFailure | undefined
}

export interface ProofOutcome {
  readonly verdict: 'proven' | 'not_proven'
}

export interface ChallengeOutcome {
  readonly tree: string
  readonly issues: Readonly<Record<string, { readonly score: number; readonly blockers: number }>>
  /** Issues for which no usable verdict came, although it was asked for again: they are not approved. */
  readonly unchallenged: readonly string[]
  readonly whole?: number | undefined
  readonly feedback: string
  /** Of the claims that were put to it, those that it agrees to. */
  readonly agreed?: readonly string[] | undefined
  readonly failure?: CallFailure | undefined
  /** Issues that may spend no more, each with the reason. */
  readonly spent?: Readonly<Record<string, string>> | undefined
}

export interface ChallengeInput extends JudgeInput {
  /** Earlier challenges of this stage, whose points are settled first. */
  readonly earlier: readonly string[]
  readonly brief?: string | undefined
  /** Issues that the fixer calls false positives, by the snapshot that holds its reasons. They are not in the tree. */
  readonly claims?: readonly Pick[] | undefined
}

export interface CommitInput extends JudgeInput {
  /** The tree that the gates saw; anything else is refused. */
  readonly tree: string
  readonly challenge?: string | undefined
  readonly verified: 'passed' | 'failed' | 'unverified'
  /** The calls that looked whether its tests fail without it. */
  readonly proofs?: readonly string[] | undefined
  readonly at: number
  readonly iterations: Readonly<Record<string, number>>
}

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly sha: string; readonly codes: readonly string[] }
  | { readonly kind: 'moved'; readonly head: string }
  | { readonly kind: 'checked_out'; readonly where: string }

export interface MergeInput extends OnWorkspace {
  readonly picks: readonly Pick[]
  readonly codes: readonly string[]
  readonly onto: string
  readonly at: number
}

export type MergeOutcome =
  | { readonly kind: 'clean'; readonly work: FixWork }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }

export interface Waiting {
  readonly kind?: WaitingKind | undefined
  readonly for: string
  /** The command that answers, where a person can. */
  readonly answer?: string | undefined
  readonly since: number
  readonly until?: number | undefined
}

export interface NoteInput {
  readonly sessionId: string
  readonly call: string
  readonly message: string
  readonly waiting?: Waiting | undefined
  /** What a person is to decide. */
  readonly open?: OpenRequest | undefined
  /** How that was decided in the end. */
  readonly settled?: SettledRequest | undefined
}

export interface SettledRequest {
  readonly kind: OpenRequest['kind']
  readonly how: 'answered' | 'skipped' | 'approve' | 'edit' | 'reject' | 'deadline' | 'cancelled'
  readonly reason?: string | undefined
  /** To the questions of this request. */
  readonly answers: readonly Answered[]
  readonly decided: Decided
}

interface InTalk extends Timed {
  readonly sessionId: string
  readonly call: string
}

export interface ClarifyInput extends InTalk {
  readonly round: number
  readonly answered: readonly Answered[]
  readonly resume?: Conversation | undefined
}

export interface ClarifyOutcome {
  readonly ready: boolean
  /** New ones, with ids of ours. */
  readonly questions: readonly Question[]
  /** Questions that somebody answered in an earlier session, for the same issue with the same text. */
  readonly reused: readonly Answered[]
  readonly message: string
  readonly conversation?: Conversation | undefined
  readonly failure?: CallFailure | undefined
}

export interface PlanInput extends InTalk {
  readonly answered: readonly Answered[]
  /** The call that made the plan which was rejected, and why it was. */
  readonly rejected?: { readonly call: string; readonly reason: string } | undefined
  readonly resume?: Conversation | undefined
}

export interface PlanOutcome {
  /** The artifact that holds the planner's answer; absent where it could not be used. */
  readonly plan?: string | undefined
  readonly conversation?: Conversation | undefined
  readonly failure?: CallFailure | undefined
}

export interface LayInput extends InTalk {
  readonly answered: readonly Answered[]
  readonly plan?: string | undefined
  /** All edits of the plan so far, in their order. */
  readonly edits: readonly PlanEdit[]
  readonly approved?: Decided | undefined
}

/** The plan as it then holds: made outside of the workflow, so that a later rule can't change a session under way. */
export interface LaidPlan {
  readonly brief: string
  readonly stages: readonly Stage[]
  readonly dropped: readonly string[]
}

export interface ScopeAskInput {
  readonly sessionId: string
  /** The fixer's call whose snapshot reaches outside. */
  readonly call: string
}

export interface ScopeAsk {
  readonly files: readonly OutsideFile[]
  /** How many more there are than the history should hold. */
  readonly more: number
}

export interface SettleScopeInput extends ScopeAskInput {
  readonly decision: ScopeDecision | { readonly decision: 'deadline' }
  readonly decided: Decided
}

export interface Ending {
  readonly class: FailureClass
  readonly detail: string
}

export interface CloseInput {
  readonly sessionId: string
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly ending?: Ending | undefined
  readonly at: number
  /** Who ended it, where a person did. */
  readonly by?: Decided | undefined
}

/** What the workflow answers: counts and a reference; the whole result is built from the store. */
export interface SessionSummary {
  readonly sessionId: string
  readonly status: 'completed' | 'partial' | 'failed' | 'cancelled' | 'skipped'
  readonly requested: number
  readonly fixed: number
  readonly failed: number
  readonly skipped: number
}

/** What the query `session` shows. */
export interface SessionView {
  readonly sessionId: string
  readonly phase: string
  readonly stage: number
  readonly stages: number
  readonly branch?: string | undefined
  readonly waiting?: Waiting | undefined
  /** What a person is asked now; what was answered and decided so far. */
  readonly open?: OpenRequest | undefined
  readonly answered?: readonly Answered[] | undefined
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly commits: readonly string[]
}

export interface SessionActivities {
  openSession(input: { readonly sessionId: string }): Promise<OpenedSession>
  verifyBase(input: {
    readonly sessionId: string
    readonly call: string
    readonly head: string
  }): Promise<VerifyOutcome>
  fixBatch(input: FixInput): Promise<FixOutcome>
  verifyTree(input: JudgeInput): Promise<VerifyOutcome>
  challengeTree(input: ChallengeInput): Promise<ChallengeOutcome>
  proveFix(input: JudgeInput): Promise<ProofOutcome>
  commitStage(input: CommitInput): Promise<CommitOutcome>
  mergeStage(input: MergeInput): Promise<MergeOutcome>
  note(input: NoteInput): Promise<void>
  clarify(input: ClarifyInput): Promise<ClarifyOutcome>
  planFixes(input: PlanInput): Promise<PlanOutcome>
  layPlan(input: LayInput): Promise<LaidPlan>
  askScope(input: ScopeAskInput): Promise<ScopeAsk>
  settleScope(input: SettleScopeInput): Promise<{ readonly barred: readonly string[] }>
  /** Beside whatever is under way: it only writes down. */
  logSaid(input: { readonly sessionId: string; readonly said: readonly Said[] }): Promise<void>
  closeSession(input: CloseInput): Promise<SessionSummary>
}
