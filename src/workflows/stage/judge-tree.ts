// Runs both gates on one tree; their verdicts become an attempt. The challenger sees a tree that fails verification too: the next round
// gets all feedback at once, and there are scores if parts have to be left out.
import type { ChallengeInput, ChallengeOutcome, Ending, VerifyOutcome } from '../../domain/protocol/index.ts'
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
import { retryWhileLimited } from '../provider-backoff.ts'
import { type FalsePositiveClaim, recordClaimVerdicts, toSelections } from './false-positive-claims.ts'
import type { WithoutSessionId } from './ports.ts'
import {
  endOverspentIssues,
  findFreshResult,
  findLatestIteration,
  type GatedTree,
  recordFreshResult,
  type StageState,
} from './stage-state.ts'

interface ComposedTree extends Composition {
  /** Its hash, or empty before the gates put it together. */
  readonly tree: string
}

interface GateOptions {
  readonly name: TreeName
  /** Skips the challenge if the verification failed: for trees that are only tried out. */
  readonly skipsChallengeIfFailed?: boolean
  /** Everything in the tree had passed when a limit was reached. */
  readonly ignoresLimits?: boolean
  /** The challenger sees them together with the tree, which contains none of their changes. */
  readonly claims?: readonly FalsePositiveClaim[]
}

export async function runGates(
  state: StageState,
  made: ComposedTree,
  { name, skipsChallengeIfFailed, ignoresLimits, claims = [] }: GateOptions,
): Promise<Ending | undefined> {
  if (state.challengerEnding) return state.challengerEnding
  const { task, ports, head } = state
  const { rules } = task
  const codes = listSelectedCodes(made)
  const iteration = findLatestIteration(state, codes)
  const input = { head, selections: made.selections, codes, iteration, ...(ignoresLimits ? { ignoresLimits } : {}) }

  const verification = rules.verify ? formatStepId({ kind: 'verify', stage: task.number, tree: name }) : undefined
  const verified = verification ? await ports.verify({ ...input, stepId: verification }) : undefined
  if (verified?.failure) return { class: verified.failure.class, detail: verified.failure.detail }
  const unchallenged: Attempt = {
    ...made,
    tree: verified?.tree ?? made.tree,
    verification: verified?.verdict ?? 'unverified',
    issues: {},
    feedbackKey: verified?.verdict === 'failed' ? (verified.failureKey ?? verified.summary) : undefined,
  }
  if (!rules.challenge || (skipsChallengeIfFailed && verified?.verdict === 'failed')) {
    recordClaimVerdicts(state, claims)
    return recordGatedTree(state, { head, attempt: unchallenged, verificationStepId: verification }, verified)
  }

  const answer = await runChallenge(state, name, input, claims)
  const { tree, issues, wholeDiffScore, feedbackKey } = answer.outcome
  const challenged: GatedTree = {
    head,
    attempt: { ...unchallenged, tree, issues, wholeDiffScore, feedbackKey },
    verificationStepId: verification,
    challengeStepId: answer.stepId,
  }
  if (answer.kind === 'stop') {
    // Verdicts that came before the end are about this tree; issues that it did not come to have none.
    if (Object.keys(issues).length > 0) recordGatedTree(state, challenged, verified)
    return answer.ending
  }
  for (const code of codes.filter((each) => !issues[each])) {
    state.endedIssues.set(code, { class: 'verdict', reason: 'not_challenged: the challenger gave no usable verdict' })
  }
  return recordGatedTree(state, challenged, verified)
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
    (stepId) => ports.challenge({ ...question, stepId, earlierStepIds: earlier, ...more }),
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

function recordGatedTree(state: StageState, made: GatedTree, verified: VerifyOutcome | undefined): undefined {
  if (verified?.inFreshCheckout && made.verificationStepId)
    recordFreshResult(state, made, made.verificationStepId, verified)
  const gated = withFreshResult(state, made)
  state.gatedTrees.push(gated)
  state.gateSteps.push(gated)
  recordProblems(state, gated, verified)
}

/** The result of a tree's fresh checkout overrides every other verification of the same tree. */
export function withFreshResult(state: StageState, gated: GatedTree): GatedTree {
  const word = findFreshResult(state, gated)
  if (!word) return gated
  const { stepId, verdict, feedback } = word
  const attempt: Attempt = { ...gated.attempt, verification: verdict, ...(feedback ? { feedbackKey: feedback } : {}) }
  return { ...gated, verificationStepId: stepId, attempt }
}

/** Records what keeps each issue of a tree from being committed, or clears it. */
export function recordProblems(state: StageState, gated: GatedTree, verified?: Pick<VerifyOutcome, 'summary'>): void {
  const { attempt } = gated
  const word = findFreshResult(state, gated) ?? verified
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
