// Leaves out issue groups until the rest has passed every gate as a tree of its own, and may be committed.

import { toSelectionName } from '../../domain/session/step-id.ts'
import type { SelectionOrigin } from '../../domain/session/step-patterns.ts'
import { type Attempt, isApproved, isSolved, listScores, listSelectedCodes } from '../../domain/stage/attempt.ts'
import {
  chooseAttemptToCommit,
  composeSelections,
  type GroupChoice,
  groupIssues,
} from '../../domain/stage/issue-groups.ts'
import type { Ending } from '../../domain/workflow-types/index.ts'
import { leaveOutCulprits } from './leave-out-culprits.ts'
import { runGates } from './run-gates.ts'
import { findGatedTree, findTrial, type GatedTree, isBarred, listAttempts, type StageState } from './stage-state.ts'

/**
 * Returns an ending if the gates can't be asked any more; trees that had passed still count. After a limit of the session, only groups
 * that had passed are tried on, at most once for each group left out, and no fixer is asked.
 */
export async function selectPassingParts(
  state: StageState,
  chosen: readonly GroupChoice[],
  after?: SelectionOrigin,
): Promise<Ending | undefined> {
  const { rules } = state.task
  let kept = chosen
  let cut: Ending | undefined
  let turn = 0
  const nextName = () => toSelectionName(++turn, after)
  while (kept.length > 0) {
    const name = nextName()
    const made = composeSelections(kept)
    const passed = kept.filter(({ group, attempt }) => group.every((code) => isSolved(code, attempt, rules)))
    const isWhole = passed.length === kept.length
    let stop: Ending | undefined
    if (!findGatedTree(state, made.selections)) {
      const trial = findTrial(state, made.selections)
      const options = { name: trial?.name ?? name, trial, skipsChallengeIfFailed: true, ignoresLimits: isWhole }
      stop = await runGates(state, { ...made, tree: '' }, options)
    }
    const { attempt, verified } = findGatedTree(state, made.selections) ?? {}
    if (!stop && rules.findsCulprits && attempt?.verification === 'failed') {
      // A tree that passed where it was made has failed in a fresh checkout, and so do its parts, if at all.
      const inFreshCheckout = verified?.verdict !== 'failed'
      const parts = await leaveOutCulprits(state, kept, { nextName, ignoresLimits: isWhole, inFreshCheckout })
      stop = parts.stop
      if (!stop) {
        kept = parts.kept
        continue
      }
    }
    if (stop) {
      if (isWhole) state.lostIssues = { codes: listSelectedCodes(made), reason: stop.detail }
      if (isWhole || stop.class !== 'budget') return stop
      cut = stop
      kept = passed
      continue
    }
    if (!attempt) return cut
    const approved = kept.filter(({ group }) => group.every((code) => isApproved(code, attempt, rules)))
    if (attempt.verification === 'failed') kept = dropWeakest(kept)
    else if (approved.length < kept.length) kept = approved
    else return cut
  }
  return cut
}

/** The issue groups of a tree, without those that a person has barred. */
export function listGroupChoices(state: StageState, attempt: Attempt): GroupChoice[] {
  const owners = listAttempts(state).flatMap((each) => each.owners)
  const groups = groupIssues(listSelectedCodes(attempt), owners)
  return groups.filter((group) => !isBarred(state, group)).map((group) => ({ group, attempt }))
}

/** Verification names no issue, so the lowest score is suspected first, and the last among equals. */
function dropWeakest(kept: readonly GroupChoice[]): GroupChoice[] {
  const strength = ({ group, attempt }: GroupChoice): number => Math.min(...listScores(group, attempt))
  const lowest = Math.min(...kept.map(strength))
  const weakest = kept.findLast((choice) => strength(choice) === lowest)
  return kept.filter((choice) => choice !== weakest)
}

/** The best tree that passed every gate, however it was made. It contains no change for a false positive. */
export function chooseTreeToCommit(state: StageState): GatedTree | undefined {
  const attempts = listAttempts(state).filter(
    (attempt) => !listSelectedCodes(attempt).some((code) => state.falsePositives.has(code) || state.barred.has(code)),
  )
  const best = chooseAttemptToCommit(attempts, state.task.rules)
  return best && state.gatedTrees.findLast(({ attempt }) => attempt === best)
}
