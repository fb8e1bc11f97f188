// The last verification before a commit, in a fresh checkout that holds nothing but the tree to be committed. A failure there overrides
// every other verification of the tree; each tree has at most one.

import { formatStepId } from '../../domain/session/step-id.ts'
import { type Attempt, listSelectedCodes } from '../../domain/stage/attempt.ts'
import { type GroupChoice, groupIssues } from '../../domain/stage/issue-groups.ts'
import { recordProblems, withFreshResult } from './judge-tree.ts'
import {
  findFreshResult,
  findLatestIteration,
  type GatedTree,
  listAttempts,
  recordFreshResult,
  type StageState,
} from './stage-state.ts'

/** Returns the tree with the verdict that now holds, which replaces every other in the stage state. */
export async function verifyFreshCheckout(state: StageState, gated: GatedTree): Promise<GatedTree> {
  const { task, ports, head } = state
  const { selections, verification } = gated.attempt
  // If no command proves anything, there is nothing to prove again.
  if (!task.rules.verifiesFreshCheckout || verification !== 'passed' || findFreshResult(state, gated)) return gated
  const codes = listSelectedCodes(gated.attempt)
  const stepId = formatStepId({ kind: 'verify_fresh', stage: task.number, turn: state.freshResults.size + 1 })
  const iteration = findLatestIteration(state, codes)
  const outcome = await ports.verify({ stepId, head, selections, codes, iteration, inFreshCheckout: true })
  recordFreshResult(state, gated, stepId, {
    ...outcome,
    summary: `in a fresh checkout: ${outcome.summary}`,
    failureKey: outcome.failureKey ?? outcome.summary,
  })
  state.gatedTrees.splice(0, state.gatedTrees.length, ...state.gatedTrees.map((each) => withFreshResult(state, each)))
  const now = withFreshResult(state, gated)
  if (outcome.verdict === 'failed') state.gateSteps.push({ verificationStepId: stepId })
  recordProblems(state, now)
  return now
}

/** The issue groups of a tree, to be left out one by one. */
export function splitIntoGroups(state: StageState, attempt: Attempt): GroupChoice[] {
  const owners = listAttempts(state).flatMap((each) => each.owners)
  return groupIssues(listSelectedCodes(attempt), owners).map((group) => ({ group: group, attempt }))
}
