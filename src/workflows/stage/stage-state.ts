// The state of a running stage, and its result: one outcome for each issue.
import { stripAdvice, withLossNotice } from '../../domain/budget/limits.ts'
import type { Stage } from '../../domain/plan/plan.ts'
import type { Tracker } from '../../domain/review-fix/tracker.ts'
import { CONSEQUENCES, type FailureClass } from '../../domain/session/failure.ts'
import type { TreeName } from '../../domain/session/step-patterns.ts'
import type { Attempt, Selection, StageRules } from '../../domain/stage/attempt.ts'
import { groupIssues, isSameSelection, serializeSelections } from '../../domain/stage/issue-groups.ts'
import { joinList } from '../../domain/text/join-list.ts'
import type {
  CommittedPart,
  Conversation,
  Ending,
  IssueOutcome,
  OldTestsOutcome,
  Timeouts,
  VerifyOutcome,
} from '../../domain/workflow-types/index.ts'
import type { StagePorts } from './stage-ports.ts'

export interface StageTask {
  readonly stage: Stage
  /** 1-based place among the stages of the session. */
  readonly number: number
  readonly head: string
  readonly rules: StageRules
  readonly timeouts: Timeouts
  /** The brief of the fixers: what they get besides the issues. */
  readonly brief?: string | undefined
  /** The conversation in which the plan was made. Every stage resumes it, and none resumes another stage's. */
  readonly plannedConversation?: Conversation | undefined
}

export interface StageResult {
  readonly head: string
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly commits: readonly string[]
  readonly stop?: Ending | undefined
}

interface GateSteps {
  readonly verificationStepId?: string | undefined
  readonly challengeStepId?: string | undefined
}

export interface GatedTree extends GateSteps {
  readonly name: TreeName
  readonly head: string
  readonly attempt: Attempt
  readonly verified?: VerifyOutcome | undefined
}

/** A tree that was only verified. */
export interface Trial {
  readonly name: TreeName
  readonly stepId: string
  readonly outcome: VerifyOutcome
}

export interface FreshCheckoutResult extends Pick<VerifyOutcome, 'verdict' | 'summary' | 'suspects' | 'failedBefore'> {
  readonly stepId: string
  /** Only if it failed. */
  readonly feedback?: string
}

export interface OldTestsRun {
  /** `held` also if a person allowed what does not hold, or barred its issues. */
  readonly state: 'held' | 'refuted'
  readonly stepId: string
  /** A person allowed what the tests refute. */
  readonly isAllowed?: true
  /** Some command turned green only with the changed tests. */
  readonly leavesUnproven?: true
  /** The refuted tree's outcome, and the tree with the verdict that it had before. */
  readonly outcome?: OldTestsOutcome
  readonly before?: GatedTree
}

export interface IssueProblem {
  readonly class: FailureClass
  readonly reason: string
}

interface AgreedFalsePositive {
  readonly reason: string
  /** The challenger's step that agreed. */
  readonly stepId: string
}

export interface StageState {
  readonly task: StageTask
  readonly ports: StagePorts
  readonly codes: readonly string[]
  /** The commit that trees are composed on; it changes when a person commits on the branch meanwhile. */
  head: string
  readonly gatedTrees: GatedTree[]
  /** Trees that were only verified, by their selections. */
  readonly trials: Map<string, Trial>
  /** Steps of the gates so far, about trees and about false-positive claims. */
  readonly gateSteps: GateSteps[]
  readonly iterations: Map<string, number>
  /** What each attempt at an issue came to; absent where attempts are not limited. */
  tracker?: Tracker | undefined
  /** Issues that get no further round, whatever happens. */
  readonly endedIssues: Map<string, IssueProblem>
  /** Issues that are neither worked on nor committed any more. */
  readonly falsePositives: Map<string, AgreedFalsePositive>
  readonly problems: Map<string, IssueProblem>
  /** Conversations of the fixer's completed calls, by step id, which is also the name of the snapshot. */
  readonly conversations: Map<string, Conversation>
  /** Results of fresh checkouts, by head and tree. */
  readonly freshResults: Map<string, FreshCheckoutResult>
  /** Runs with the tests as they were, by head and tree. */
  readonly oldTests: Map<string, OldTestsRun>
  /** Issues whose changes of the tests a person did not allow: they are neither worked on nor committed any more. */
  readonly barred: Set<string>
  /** Step ids of proofs, by head and tree. */
  readonly proofs: Map<string, readonly string[]>
  /** The number of rounds so far. */
  rounds: number
  /** The number of turns towards a commit so far: each commit and merge is named by its turn. */
  turns: number
  /** The number of trains that this stage has led. */
  trains: number
  /** The head on which it has led a train. What did not land there by train lands by itself. */
  triedTrainOn?: string
  /** The extra round is given once. */
  hadExtraRound?: true
  challengerEnding?: Ending | undefined
  /** Issues that had passed, but got no verdict without the rest. */
  lostIssues?: LostIssues | undefined
}

interface LostIssues {
  readonly codes: readonly string[]
  readonly reason: string
}

/** Issues that may still be committed. */
export function listOpenCodes({ codes, falsePositives, barred }: StageState): readonly string[] {
  return codes.filter((code) => !falsePositives.has(code) && !barred.has(code))
}

/** Whether a person turned down what an issue of the group does to the tests. */
export function isBarred({ barred }: StageState, group: readonly string[]): boolean {
  return group.some((code) => barred.has(code))
}

/** Attempts on the commit that the stage stands on now. */
export function listAttempts(state: StageState): Attempt[] {
  return state.gatedTrees.filter(({ head }) => head === state.head).map(({ attempt }) => attempt)
}

export function findGatedTree({ gatedTrees }: StageState, selections: readonly Selection[]): GatedTree | undefined {
  return gatedTrees.findLast(({ attempt }) => isSameSelection(attempt.selections, selections))
}

export function findTrial({ trials }: StageState, selections: readonly Selection[]): Trial | undefined {
  return trials.get(serializeSelections(selections))
}

/** The result of this tree's fresh checkout, however the tree was composed. */
export function findFreshResult(
  { freshResults }: StageState,
  { head, attempt }: GatedTree,
): FreshCheckoutResult | undefined {
  return freshResults.get(`${head} ${attempt.tree}`)
}

/** Keeps the first result of a tree's fresh checkout. */
export function recordFreshResult(
  { freshResults }: StageState,
  { head, attempt }: { readonly head: string; readonly attempt: Pick<Attempt, 'tree'> },
  stepId: string,
  { verdict, summary, suspects, failedBefore, failureKey }: VerifyOutcome,
): void {
  const key = `${head} ${attempt.tree}`
  if (freshResults.has(key)) return
  freshResults.set(key, {
    stepId,
    verdict,
    summary,
    suspects,
    failedBefore,
    ...(verdict === 'failed' ? { feedback: failureKey ?? summary } : {}),
  })
}

export function findLatestIteration({ iterations }: StageState, codes: readonly string[]): number {
  return Math.max(1, ...codes.map((code) => iterations.get(code) ?? 0))
}

/** The step ids of all gates, each once; those on the tree that is worked on next come last. */
export function listGateStepIds({ gateSteps }: StageState, last: GateSteps = {}): string[] {
  const own = toStepIds(last)
  const others = gateSteps.flatMap(toStepIds).filter((stepId) => !own.includes(stepId))
  return [...new Set(others), ...own]
}

function toStepIds({ verificationStepId, challengeStepId }: GateSteps): string[] {
  return [verificationStepId ?? [], challengeStepId ?? []].flat()
}

/** Gives these issues no further round; what they have by now still counts. */
export function endOverspentIssues({ endedIssues }: StageState, spent: Readonly<Record<string, string>> = {}): void {
  for (const [code, reason] of Object.entries(spent)) {
    if (!endedIssues.has(code)) endedIssues.set(code, { class: 'budget', reason })
  }
}

interface StageCommit {
  readonly commits: readonly CommittedPart[]
  readonly attempt: Attempt
}

export function toStageResult(
  state: StageState,
  committed: StageCommit | undefined,
  ending: Ending | undefined,
): StageResult {
  const commits = committed?.commits ?? []
  const isCommitted = (code: string): boolean => commits.some(({ codes }) => codes.includes(code))
  const stop = ending && withLostIssues(state, isCommitted, ending)
  const outcomes = Object.fromEntries(
    state.codes.map((code) => [
      code,
      (committed && toResolvedOutcome(state, code, committed)) ??
        toIgnoredOutcome(state, code) ??
        toUnresolvedOutcome(state, code, stop),
    ]),
  )
  return { head: state.head, outcomes, commits: commits.map(({ sha }) => sha), stop }
}

function withLostIssues({ lostIssues }: StageState, isCommitted: (code: string) => boolean, ending: Ending): Ending {
  const isLost = lostIssues?.codes.some((code) => !isCommitted(code))
  return lostIssues && isLost ? { ...ending, detail: withLossNotice(ending.detail, lostIssues.reason) } : ending
}

function toResolvedOutcome(
  { iterations }: StageState,
  code: string,
  { commits, attempt }: StageCommit,
): IssueOutcome | undefined {
  const own = commits.find(({ codes }) => codes.includes(code))
  if (!own) return undefined
  const score = attempt.issues[code]?.score
  return { status: 'resolved', reason: '', iterations: iterations.get(code) ?? 0, score, commit: own.sha }
}

function toIgnoredOutcome({ falsePositives, iterations }: StageState, code: string): IssueOutcome | undefined {
  const agreement = falsePositives.get(code)
  if (!agreement) return undefined
  const { reason, stepId } = agreement
  return { status: 'ignored', reason, iterations: iterations.get(code) ?? 0, agreedStepId: stepId }
}

function toUnresolvedOutcome(state: StageState, code: string, stop?: Ending): IssueOutcome {
  const { endedIssues, problems, iterations, gatedTrees } = state
  const owners = listAttempts(state).flatMap((attempt) => attempt.owners)
  const group = groupIssues(state.codes, owners).find((some) => some.includes(code)) ?? []
  const others = joinList(group.filter((each) => each !== code)) || 'an issue'
  const held: IssueProblem = {
    class: 'verdict',
    reason: `taken back together with ${others}, which changes the same lines`,
  }
  const stopped: IssueProblem | undefined = stop && { class: stop.class, reason: stripAdvice(stop.detail) }
  const problem = endedIssues.get(code) ?? stopped ?? problems.get(code) ?? held
  return {
    status: problem === stopped ? 'open' : CONSEQUENCES[problem.class].issue,
    reason: problem.reason,
    failure: problem.class,
    iterations: iterations.get(code) ?? 0,
    score: gatedTrees.findLast(({ attempt }) => attempt.issues[code])?.attempt.issues[code]?.score,
  }
}
