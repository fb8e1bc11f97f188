// The last verification before a commit: in a fresh checkout of exactly the tree that would be committed, so that nothing counts but
// that. What fails there has failed, whatever was said of the same tree before; each tree is asked about once. Where the first
// verification of a tree was in a fresh checkout already, there is no other.

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
  toStepId,
} from './stage-state.ts'

/** Answers with what holds of the tree now; in the ledger it replaces every other word on it. */
export async function verifyFreshCheckout(ledger: StageState, judged: GatedTree): Promise<GatedTree> {
  const { task, ports, head } = ledger
  const { selections, verification } = judged.attempt
  // Where no command proves anything, there is nothing to be proven again.
  if (!task.rules.verifiesFreshCheckout || verification !== 'passed' || findFreshResult(ledger, judged)) return judged
  const codes = listSelectedCodes(judged.attempt)
  const call = toStepId(ledger, `fresh${ledger.freshResults.size + 1}`)
  const iteration = findLatestIteration(ledger, codes)
  const outcome = await ports.verify({ stepId: call, head, selections, codes, iteration, inFreshCheckout: true })
  recordFreshResult(ledger, judged, call, {
    ...outcome,
    summary: `in a fresh checkout: ${outcome.summary}`,
    failureKey: outcome.failureKey ?? outcome.summary,
  })
  ledger.gatedTrees.splice(
    0,
    ledger.gatedTrees.length,
    ...ledger.gatedTrees.map((each) => withFreshResult(ledger, each)),
  )
  const now = withFreshResult(ledger, judged)
  if (outcome.verdict === 'failed') ledger.gateSteps.push({ verificationStepId: call })
  recordProblems(ledger, now)
  return now
}

/** The knots of a tree, to be taken back one by one. */
export function splitIntoGroups(ledger: StageState, attempt: Attempt): GroupChoice[] {
  const owners = listAttempts(ledger).flatMap((each) => each.owners)
  return groupIssues(listSelectedCodes(attempt), owners).map((knot) => ({ group: knot, attempt }))
}
