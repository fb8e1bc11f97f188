// Runs both gates on one tree; their verdicts become an attempt. A tree that fails the verification is challenged only if something may
// come of it: a false-positive claim, or scores for the choice of what is kept at the end.

import { formatStepId } from '../../domain/session/step-id.ts'
import type { TreeName } from '../../domain/session/step-patterns.ts'
import {
  type Attempt,
  type Composition,
  isApproved,
  listSelectedCodes,
  type StageRules,
  wholeDiffPasses,
} from '../../domain/stage/attempt.ts'
import type { ChallengeInput, ChallengeOutcome, Ending, VerifyOutcome } from '../../domain/workflow-types/index.ts'
import { retryWhileLimited } from '../provider-backoff.ts'
import { type FalsePositiveClaim, recordClaimVerdicts, toSelections } from './false-positive-claims.ts'
import type { WithoutSessionId } from './stage-ports.ts'
import {
  endOverspentIssues,
  findFreshResult,
  findLatestIteration,
  type GatedTree,
  recordFreshResult,
  type StageState,
  type Trial,
} from './stage-state.ts'

interface ComposedTree extends Composition {
  /** Its hash, or empty before the gates put it together. */
  readonly tree: string
}

interface GateOptions {
  readonly name: TreeName
  /** Skips the challenge if the verification failed. */
  readonly skipsChallengeIfFailed?: boolean | undefined
  /** The result of its verification, if that was run already. */
  readonly trial?: Trial | undefined
  /** Everything in the tree had passed when a limit was reached. */
  readonly ignoresLimits?: boolean
  /** The tree with the same diff on an earlier commit, whose challenge stands. */
  readonly standing?: GatedTree | undefined
  readonly inFreshCheckout?: boolean | undefined
  /** The challenger sees them together with the tree, which contains none of their changes. */
  readonly claims?: readonly FalsePositiveClaim[]
}

export async function runGates(
  state: StageState,
  made: ComposedTree,
  { name, skipsChallengeIfFailed, trial, ignoresLimits, standing, inFreshCheckout, claims = [] }: GateOptions,
): Promise<Ending | undefined> {
  if (state.challengerEnding && !standing) return state.challengerEnding
  const { task, ports, head } = state
  const { rules } = task
  const input = { ...toGateQuestion(state, made), ...(ignoresLimits ? { ignoresLimits } : {}) }

  const ownStep = rules.verify ? formatStepId({ kind: 'verify', stage: task.number, tree: name }) : undefined
  const verification = trial?.stepId ?? ownStep
  const where = inFreshCheckout ? ({ inFreshCheckout } as const) : {}
  const verified =
    trial?.outcome ?? (ownStep ? await ports.verifyTree({ ...input, ...where, stepId: ownStep }) : undefined)
  if (verified?.failure) return { class: verified.failure.class, detail: verified.failure.detail }
  const attempt: Attempt = {
    ...made,
    tree: verified?.tree ?? made.tree,
    verification: verified?.verdict ?? 'unverified',
    issues: {},
    feedbackKey: verified?.verdict === 'failed' ? (verified.failureKey ?? verified.summary) : undefined,
  }
  if (standing)
    return recordStandingTree(state, { ...standing, name, head, verificationStepId: verification, verified }, attempt)
  const unchallenged: GatedTree = { name, head, attempt, verificationStepId: verification, verified }
  if (!rules.challenge || (skipsChallengeIfFailed && verified?.verdict === 'failed')) {
    recordClaimVerdicts(state, claims)
    return recordGatedTree(state, unchallenged)
  }
  return await challengeTree(state, unchallenged, input, claims)
}

/** Its verification is its own, its scores are those of the tree with the same diff. */
function recordStandingTree(state: StageState, standing: GatedTree, own: Attempt): undefined {
  const { issues, wholeDiffScore, feedbackKey } = standing.attempt
  const attempt: Attempt = { ...own, issues, wholeDiffScore, feedbackKey: own.feedbackKey ?? feedbackKey }
  return recordGatedTree(state, { ...standing, attempt })
}

/** Challenges a round's tree that was spared because it fails the verification: its scores choose what is kept of it. */
export async function challengeFailedTree(state: StageState, failed: GatedTree): Promise<Ending | undefined> {
  const stop = await challengeTree(state, failed, toGateQuestion(state, failed.attempt), [])
  if (state.gatedTrees.at(-1) !== failed) state.gatedTrees.splice(state.gatedTrees.indexOf(failed), 1)
  return stop
}

function toGateQuestion(state: StageState, made: Composition): ChallengeQuestion {
  const codes = listSelectedCodes(made)
  return { head: state.head, selections: made.selections, codes, iteration: findLatestIteration(state, codes) }
}

async function challengeTree(
  state: StageState,
  unchallenged: GatedTree,
  input: ChallengeQuestion,
  claims: readonly FalsePositiveClaim[],
): Promise<Ending | undefined> {
  const answer = await runChallenge(state, unchallenged.name, input, claims)
  const { tree, issues, wholeDiffScore, feedbackKey } = answer.outcome
  const challenged: GatedTree = {
    ...unchallenged,
    attempt: { ...unchallenged.attempt, tree, issues, wholeDiffScore, feedbackKey },
    challengeStepId: answer.stepId,
  }
  if (answer.kind === 'stop') {
    // Verdicts that came before the end are about this tree; issues that it did not come to have none.
    if (Object.keys(issues).length > 0) recordGatedTree(state, challenged)
    return answer.ending
  }
  for (const code of input.codes.filter((each) => !issues[each])) {
    state.endedIssues.set(code, { class: 'verdict', reason: 'not_challenged: the challenger gave no usable verdict' })
  }
  return recordGatedTree(state, challenged)
}

/** Asks about claims when there is no new tree: the diff is empty. */
export async function challengeClaimsOnly(
  state: StageState,
  name: TreeName,
  claims: readonly FalsePositiveClaim[],
): Promise<Ending | undefined> {
  if (state.challengerEnding) return state.challengerEnding
  if (!state.task.rules.challenge) {
    recordClaimVerdicts(state, claims)
    return undefined
  }
  const iteration = findLatestIteration(
    state,
    claims.map(({ code }) => code),
  )
  const answer = await runChallenge(state, name, { head: state.head, selections: [], codes: [], iteration }, claims)
  if (answer.kind === 'stop') return answer.ending
  state.gateSteps.push({ challengeStepId: answer.stepId })
  return undefined
}

type ChallengeQuestion = Omit<WithoutSessionId<ChallengeInput>, 'stepId' | 'earlierStepIds' | 'brief' | 'claims'>

async function runChallenge(
  state: StageState,
  name: TreeName,
  question: ChallengeQuestion,
  claims: readonly FalsePositiveClaim[],
) {
  const { ports, task } = state
  const earlier = [...new Set(state.gateSteps.flatMap((each) => each.challengeStepId ?? []))]
  const more = {
    ...(task.brief ? { brief: task.brief } : {}),
    ...(claims.length > 0 ? { claims: toSelections(claims) } : {}),
  }
  const answer = await retryWhileLimited<ChallengeOutcome>(
    formatStepId({ kind: 'challenge', stage: task.number, tree: name }),
    task.timeouts,
    ports,
    (stepId) => ports.challengeTree({ ...question, stepId, earlierStepIds: earlier, ...more }),
    ports.waitForKey,
  )
  const { agreedClaims = [] } = answer.outcome
  if (answer.kind === 'stop') {
    // A limit of the session does not keep the challenger from what had passed.
    if (answer.ending.class !== 'budget') state.challengerEnding = answer.ending
    const agreed = claims.filter(({ code }) => agreedClaims.includes(code))
    recordClaimVerdicts(state, agreed, { stepId: answer.stepId, agreed: agreedClaims })
  } else {
    recordClaimVerdicts(state, claims, { stepId: answer.stepId, agreed: agreedClaims })
    endOverspentIssues(state, answer.outcome.overspent)
  }
  return answer
}

function recordGatedTree(state: StageState, made: GatedTree): undefined {
  const { verified, verificationStepId } = made
  if (verified?.inFreshCheckout && verificationStepId) recordFreshResult(state, made, verificationStepId, verified)
  const gated = withFreshResult(state, made)
  state.gatedTrees.push(gated)
  state.gateSteps.push(gated)
  recordProblems(state, gated)
}

/** Records the result of a tree's fresh checkout, which overrides every other verification of the same tree. */
export function overrideByFreshResult(state: StageState, tree: string, stepId: string, outcome: VerifyOutcome): void {
  recordFreshResult(state, { head: state.head, attempt: { tree } }, stepId, {
    ...outcome,
    summary: `in a fresh checkout: ${outcome.summary}`,
    failureKey: outcome.failureKey ?? outcome.summary,
  })
  state.gatedTrees.splice(0, state.gatedTrees.length, ...state.gatedTrees.map((each) => withFreshResult(state, each)))
}

export function withFreshResult(state: StageState, gated: GatedTree): GatedTree {
  const word = findFreshResult(state, gated)
  if (!word) return gated
  const { stepId, verdict, feedback } = word
  const attempt: Attempt = { ...gated.attempt, verification: verdict, ...(feedback ? { feedbackKey: feedback } : {}) }
  return { ...gated, verificationStepId: stepId, attempt }
}

/** Records what keeps each issue of a tree from being committed, or clears it. */
export function recordProblems(state: StageState, gated: GatedTree): void {
  const { attempt } = gated
  const word = findFreshResult(state, gated) ?? gated.verified
  for (const code of listSelectedCodes(attempt)) {
    const reason = findCommitObstacle(code, attempt, state.task.rules, word)
    if (reason) state.problems.set(code, { class: 'verdict', reason })
    else state.problems.delete(code)
  }
}

/** The reason why an issue of this tree can't be committed: its own faults first, then those of the whole. */
function findCommitObstacle(
  code: string,
  attempt: Attempt,
  rules: StageRules,
  verified?: Pick<VerifyOutcome, 'summary'>,
): string | undefined {
  const verdict = attempt.issues[code]
  if (verdict && verdict.blockers > 0) return `${verdict.blockers} open blocker(s) of the challenger`
  if (verdict && !isApproved(code, attempt, rules)) return `scored ${verdict.score}, below ${rules.solvedThreshold}`
  if (attempt.verification === 'failed') return `verification failed: ${verified?.summary ?? ''}`
  if (attempt.verification === 'unverified' && !rules.challenge) return 'neither challenged nor verified'
  if (wholeDiffPasses(attempt, rules)) return undefined
  return `the whole diff scored ${attempt.wholeDiffScore ?? 'nothing'}, below ${rules.satisfactionThreshold}`
}
