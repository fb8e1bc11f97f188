// A tree that passed has to pass the tests as they were, too. If it does not, the fixer hears of it as long as there are rounds. One that
// insists on its changes of the tests, or has no round left, needs a person's word.

import { formatStepId } from '../../domain/session/step-id.ts'
import { listSelectedCodes, passesEveryGate } from '../../domain/stage/attempt.ts'
import { findLatestIteration, type GatedTree, type StageState } from './stage-state.ts'

/** Returns the tree with the verdict that now holds, which replaces the one in the stage state. */
export async function verifyWithOldTests(
  state: StageState,
  gated: GatedTree,
  { hasRoundsLeft }: { readonly hasRoundsLeft: boolean },
): Promise<GatedTree> {
  const { task, ports, head, oldTests } = state
  const { attempt } = gated
  if (!task.rules.verifiesOldTests || !passesEveryGate(attempt, task.rules)) return gated
  const tree = `${head} ${attempt.tree}`
  const known = oldTests.get(tree)
  if (known?.state === 'held') return gated
  const codes = listSelectedCodes(attempt)
  const stepId =
    known?.stepId ?? formatStepId({ kind: 'verify_old_tests', stage: task.number, turn: oldTests.size + 1 })
  const iteration = findLatestIteration(state, codes)
  const outcome =
    known?.outcome ?? (await ports.verifyOldTests({ stepId, head, selections: attempt.selections, codes, iteration }))
  if (outcome.verdict === 'held') {
    const { leavesUnproven } = outcome
    oldTests.set(tree, { state: 'held', stepId, ...(leavesUnproven ? { leavesUnproven } : {}) })
    return gated
  }
  const isInsistedOn = oldTests.values().some((other) => other.outcome?.testsKey === outcome.testsKey)
  oldTests.set(tree, { state: 'refuted', stepId, outcome, before: gated })
  if (hasRoundsLeft && !isInsistedOn)
    return markFailed(state, gated, { stepId, summary: `with the tests as they were: ${outcome.summary}` })

  const { barred, reason } = outcome.rejected
    ? {
        barred: outcome.rejected,
        reason: `its changes of tests are not allowed (verification.test_changes): ${outcome.summary}`,
      }
    : await ports.decideScope(stepId)
  oldTests.set(tree, { state: 'held', stepId })
  if (barred.length === 0) {
    oldTests.set(tree, { state: 'held', stepId, isAllowed: true })
    return gated
  }
  for (const code of barred) {
    state.barred.add(code)
    state.endedIssues.set(code, { class: 'verdict', reason })
  }
  return markFailed(state, gated, { stepId, summary: reason })
}

function markFailed(
  state: StageState,
  gated: GatedTree,
  { stepId, summary }: { readonly stepId: string; readonly summary: string },
): GatedTree {
  const failed: GatedTree = {
    ...gated,
    verificationStepId: stepId,
    attempt: { ...gated.attempt, verification: 'failed', feedbackKey: summary },
  }
  replaceTree(state, failed)
  state.gateSteps.push({ verificationStepId: stepId })
  for (const code of listSelectedCodes(failed.attempt)) state.problems.set(code, { class: 'verdict', reason: summary })
  return failed
}

/** After the last round a refuted tree counts as it did before: a person may still allow its changes of the tests. */
export function reconsiderRefutedTrees(state: StageState): void {
  for (const { state: verdict, before } of state.oldTests.values()) {
    if (verdict === 'refuted' && before) replaceTree(state, before)
  }
}

function replaceTree({ gatedTrees }: StageState, now: GatedTree): void {
  gatedTrees.forEach((each, index) => {
    const { head, attempt } = each
    if (head !== now.head || attempt.tree !== now.attempt.tree) return
    const { verification, feedbackKey } = now.attempt
    gatedTrees[index] = {
      ...each,
      verificationStepId: now.verificationStepId,
      attempt: { ...attempt, verification, feedbackKey },
    }
  })
}
