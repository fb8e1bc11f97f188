// Both gates on one tree; what they say becomes an attempt. The challenger is asked also about a tree that fails the
// verification, so that the next round hears everything at once, and so that there are scores when parts are taken back.
import type { ChallengeInput, ChallengeOutcome, Ending, VerifyOutcome } from '../../domain/protocol/index.ts'
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
  toStepId,
} from './stage-state.ts'

interface ComposedTree extends Composition {
  /** Its hash, where it is known before the gates put it together. */
  readonly tree: string
}

interface GateOptions {
  readonly name: string
  /** No challenge where the verification already failed: for trees that are only tried out. */
  readonly skipsChallengeIfFailed?: boolean
  /** All that is in it had passed by then. */
  readonly ignoresLimits?: boolean
  /** Put to the challenger together with the tree, which holds nothing of them. */
  readonly claims?: readonly FalsePositiveClaim[]
}

export async function runGates(
  ledger: StageState,
  made: ComposedTree,
  { name, skipsChallengeIfFailed, ignoresLimits, claims = [] }: GateOptions,
): Promise<Ending | undefined> {
  if (ledger.challengerEnding) return ledger.challengerEnding
  const { task, ports, head } = ledger
  const { rules } = task
  const codes = listSelectedCodes(made)
  const iteration = findLatestIteration(ledger, codes)
  const input = { head, selections: made.selections, codes, iteration, ...(ignoresLimits ? { ignoresLimits } : {}) }

  const verification = rules.verify ? toStepId(ledger, `${name}.verify`) : undefined
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
    recordClaimVerdicts(ledger, claims)
    return recordGatedTree(ledger, { head, attempt: unchallenged, verificationStepId: verification }, verified)
  }

  const answer = await runChallenge(ledger, name, input, claims)
  const { tree, issues, wholeDiffScore, feedbackKey } = answer.outcome
  const challenged: GatedTree = {
    head,
    attempt: { ...unchallenged, tree, issues, wholeDiffScore, feedbackKey },
    verificationStepId: verification,
    challengeStepId: answer.call,
  }
  if (answer.kind === 'stop') {
    // What it said by then was said of this tree; of an issue that it did not come to, nothing was.
    if (Object.keys(issues).length > 0) recordGatedTree(ledger, challenged, verified)
    return answer.ending
  }
  for (const code of codes.filter((each) => !issues[each])) {
    ledger.endedIssues.set(code, { class: 'verdict', reason: 'not_challenged: the challenger gave no usable verdict' })
  }
  return recordGatedTree(ledger, challenged, verified)
}

/** For claims beside which there is no new tree to judge: their question is an empty diff. */
export async function challengeClaimsOnly(
  ledger: StageState,
  name: string,
  claims: readonly FalsePositiveClaim[],
): Promise<Ending | undefined> {
  if (ledger.challengerEnding) return ledger.challengerEnding
  if (!ledger.task.rules.challenge) {
    recordClaimVerdicts(ledger, claims)
    return undefined
  }
  const iteration = findLatestIteration(
    ledger,
    claims.map(({ code }) => code),
  )
  const answer = await runChallenge(ledger, name, { head: ledger.head, selections: [], codes: [], iteration }, claims)
  if (answer.kind === 'stop') return answer.ending
  ledger.gateSteps.push({ challengeStepId: answer.call })
  return undefined
}

type ChallengeQuestion = Omit<WithoutSessionId<ChallengeInput>, 'stepId' | 'earlierStepIds' | 'brief' | 'claims'>

async function runChallenge(
  ledger: StageState,
  name: string,
  question: ChallengeQuestion,
  claims: readonly FalsePositiveClaim[],
) {
  const { ports, task } = ledger
  const earlier = [...new Set(ledger.gateSteps.flatMap((each) => each.challengeStepId ?? []))]
  const more = {
    ...(task.brief ? { brief: task.brief } : {}),
    ...(claims.length > 0 ? { claims: toSelections(claims) } : {}),
  }
  const answer = await retryWhileLimited<ChallengeOutcome>(
    toStepId(ledger, `${name}.challenge`),
    task.timeouts,
    ports,
    (call) => ports.challenge({ ...question, stepId: call, earlierStepIds: earlier, ...more }),
  )
  const { agreedClaims = [] } = answer.outcome
  if (answer.kind === 'stop') {
    // Of the session's limits none keeps it from judging what had passed.
    if (answer.ending.class !== 'budget') ledger.challengerEnding = answer.ending
    const settled = claims.filter(({ code }) => agreedClaims.includes(code))
    recordClaimVerdicts(ledger, settled, { call: answer.call, agreed: agreedClaims })
  } else {
    recordClaimVerdicts(ledger, claims, { call: answer.call, agreed: agreedClaims })
    endOverspentIssues(ledger, answer.outcome.overspent)
  }
  return answer
}

function recordGatedTree(ledger: StageState, made: GatedTree, verified: VerifyOutcome | undefined): undefined {
  if (verified?.inFreshCheckout && made.verificationStepId)
    recordFreshResult(ledger, made, made.verificationStepId, verified)
  const judged = withFreshResult(ledger, made)
  ledger.gatedTrees.push(judged)
  ledger.gateSteps.push(judged)
  recordProblems(ledger, judged, verified)
}

/** What the fresh checkout of a tree said holds, whatever was or is said of the same tree elsewhere. */
export function withFreshResult(ledger: StageState, judged: GatedTree): GatedTree {
  const word = findFreshResult(ledger, judged)
  if (!word) return judged
  const { stepId, verdict, feedback } = word
  const attempt: Attempt = { ...judged.attempt, verification: verdict, ...(feedback ? { feedbackKey: feedback } : {}) }
  return { ...judged, verificationStepId: stepId, attempt }
}

/** What keeps the issues of a tree from being committed, or that nothing does. */
export function recordProblems(ledger: StageState, judged: GatedTree, verified?: Pick<VerifyOutcome, 'summary'>): void {
  const { attempt } = judged
  const word = findFreshResult(ledger, judged) ?? verified
  for (const code of listSelectedCodes(attempt)) {
    const reason = findCommitObstacle(code, attempt, ledger.task.rules, word)
    if (reason) ledger.problems.set(code, { class: 'verdict', reason })
    else ledger.problems.delete(code)
  }
}

/** What keeps an issue of this tree from being committed: its own faults first, then those of the whole. */
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
