// From a tree that passed to a commit on the branch: a last verification in a fresh checkout, proofs, the commit. The branch belongs to
// people too: if it is checked out, the stage waits; if it has moved, the work is merged onto the new commit and passes the gates again.

import { formatStepId, formatStepPart } from '../../domain/session/step-id.ts'
import { type Attempt, listSelectedCodes, passesEveryGate } from '../../domain/stage/attempt.ts'
import { groupIssues } from '../../domain/stage/issue-groups.ts'
import type { Ending } from '../../domain/workflow-types/index.ts'
import { findRider, landTrain } from './land-train.ts'
import { composeOntoHead, mergeOntoHead } from './merge-stage.ts'
import { overrideByFreshResult, recordProblems, withFreshResult } from './run-gates.ts'
import { chooseTreeToCommit, listGroupChoices, selectPassingParts } from './select-passing-parts.ts'
import {
  findFreshResult,
  findLatestIteration,
  type GatedTree,
  type StageResult,
  type StageState,
  toStageResult,
} from './stage-state.ts'
import { verifyWithOldTests } from './verify-old-tests.ts'

/** `again`: what another lane has landed does not go with it, so that the stage goes another round on that. */
export async function commitApprovedTree(
  state: StageState,
  chosen: GatedTree | undefined,
  stop?: Ending,
): Promise<StageResult | 'again'> {
  const { task, ports } = state
  const { landing } = ports
  const started = ports.now()
  let gated = chosen
  let ending = stop
  while (gated) {
    state.turns += 1
    const turn = state.turns
    const verified = await verifyFreshCheckout(state, gated)
    const { attempt, challengeStepId } = await verifyWithOldTests(state, verified, { hasRoundsLeft: false })
    if (!passesEveryGate(attempt, task.rules)) {
      const origin = passesEveryGate(verified.attempt, task.rules)
        ? ({ step: 'oldtests', turn: state.oldTests.size } as const)
        : ({ step: 'fresh', turn: state.freshResults.size } as const)
      landing?.leave()
      const failed = await selectPassingParts(state, listGroupChoices(state, attempt), origin)
      ending ??= failed
      gated = chooseTreeToCommit(state)
      continue
    }
    const selected = listSelectedCodes(attempt)
    // In the order of the plan, which is that of the commits.
    const codes = state.codes.filter((code) => selected.includes(code))
    const isProvable = task.rules.provesFixes && attempt.verification === 'passed'
    const proofs = isProvable ? await proveIssueGroups(state, attempt) : []
    const rider = landing && findRider(state, { ...gated, attempt }, proofs)
    const own = landing && (await landing.enter(rider))
    const landed = own?.kind === 'turn' && rider ? await landTrain(state, rider, own.head) : own
    if (landed?.kind === 'landed') {
      state.head = landed.head
      const commits = landed.commits.filter((commit) => commit.codes.some((code) => codes.includes(code)))
      return toStageResult(state, { commits, attempt }, ending)
    }
    const onto = landed?.head ?? state.head
    if (onto !== state.head) {
      const composed = await composeOntoHead(state, { ...gated, attempt }, { turn, onto, isLast: ending !== undefined })
      if (composed === 'again') return composed
      ending ??= composed
      gated = chooseTreeToCommit(state)
      continue
    }
    const stepId = formatStepId({ kind: 'commit', stage: task.number, turn })
    const outcome = await ports.commitStage({
      stepId,
      head: state.head,
      selections: attempt.selections,
      codes,
      iteration: findLatestIteration(state, codes),
      tree: attempt.tree,
      challengeStepId,
      verified: attempt.verification,
      ...(proofs.length > 0 ? { proofStepIds: proofs } : {}),
      at: ports.now(),
      iterations: Object.fromEntries(state.iterations),
    })
    if (outcome.kind === 'committed') {
      state.head = outcome.sha
      landing?.moveTo(outcome.sha)
      return toStageResult(state, { commits: outcome.commits ?? [outcome], attempt }, ending)
    }
    if (outcome.kind === 'moved' && landing) {
      landing.moveTo(outcome.head)
      continue
    }
    if (outcome.kind === 'moved') {
      const failed = await mergeOntoHead(state, gated, { turn, onto: outcome.head })
      ending ??= failed
      gated = chooseTreeToCommit(state)
      continue
    }
    const why = `the branch is checked out at ${outcome.where}: switch that checkout to another branch`
    if (ports.now() - started > task.timeouts.giveUpAfterSeconds * 1000) {
      return toStageResult(state, undefined, ending ?? { class: 'infrastructure', detail: why })
    }
    const wait = formatStepPart(stepId, { kind: 'branch_wait' })
    await ports.wait({ stepId: wait, kind: 'branch', why, until: ports.now() + computeBranchRetryDelay(turn) })
  }
  return toStageResult(state, undefined, ending)
}

/**
 * Verifies the tree in a checkout that holds nothing else, once per tree. Returns it with the verdict that now holds, which replaces
 * every other in the stage state.
 */
export async function verifyFreshCheckout(state: StageState, gated: GatedTree): Promise<GatedTree> {
  const { task, ports, head } = state
  const { selections, verification } = gated.attempt
  // If no command proves anything, there is nothing to prove again.
  if (!task.rules.verifiesFreshCheckout || verification !== 'passed' || findFreshResult(state, gated)) return gated
  const codes = listSelectedCodes(gated.attempt)
  const stepId = formatStepId({ kind: 'verify_fresh', stage: task.number, turn: state.freshResults.size + 1 })
  const iteration = findLatestIteration(state, codes)
  const outcome = await ports.verifyTree({ stepId, head, selections, codes, iteration, inFreshCheckout: true })
  overrideByFreshResult(state, gated.attempt.tree, stepId, outcome)
  const now = withFreshResult(state, gated)
  if (outcome.verdict === 'failed') state.gateSteps.push({ verificationStepId: stepId })
  recordProblems(state, now)
  return now
}

/** Asks for each issue group whether its own tests prove it, once per tree, and returns the step ids. */
async function proveIssueGroups(state: StageState, attempt: Attempt): Promise<readonly string[]> {
  const { task, ports, head, proofs } = state
  const tree = `${head} ${attempt.tree}`
  const known = proofs.get(tree)
  if (known) return known
  const calls: string[] = []
  for (const [index, codes] of groupIssues(listSelectedCodes(attempt), attempt.owners).entries()) {
    // Once the time is over, the tree is committed without further proofs.
    if (ports.now() >= (ports.endsAt() ?? Number.POSITIVE_INFINITY)) break
    const stepId = formatStepId({ kind: 'prove', stage: task.number, turn: proofs.size + 1, group: index + 1 })
    await ports.proveFix({
      stepId,
      head,
      selections: attempt.selections,
      codes,
      iteration: findLatestIteration(state, codes),
    })
    calls.push(stepId)
  }
  proofs.set(tree, calls)
  return calls
}

/** Milliseconds until the next look at the branch: short at first, ten minutes in the end. */
function computeBranchRetryDelay(turn: number): number {
  return Math.min(turn ** 2 * 2, 600) * 1000
}
