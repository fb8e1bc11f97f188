// The loop of one stage, free of Temporal: rounds until the rules say stop, then what passed is put together, goes through the gates as
// that tree and is committed. Every tree is composed from the stage's base, so there is nothing to revert.

import type { Ending } from '../../domain/protocol/index.ts'
import { toRoundName } from '../../domain/session/step-id.ts'
import { type Composition, isApproved, wholeDiffPasses } from '../../domain/stage/attempt.ts'
import {
  chooseBestAttempts,
  composeSelections,
  type GroupChoice,
  selectApprovedGroups,
} from '../../domain/stage/issue-groups.ts'
import { decideNextRound, type NextRound } from '../../domain/stage/next-round.ts'
import { commitApproved } from './commit-stage.ts'
import { runFixRound } from './fix-round.ts'
import type { StagePorts } from './ports.ts'
import { chooseTreeToCommit, selectPassingParts } from './select-passing-parts.ts'
import {
  createStageState,
  findLatestIteration,
  listAttempts,
  listOpenCodes,
  type StageResult,
  type StageState,
  type StageTask,
} from './stage-state.ts'
import { verifyFreshCheckout } from './verify-fresh-checkout.ts'

export async function runStage(task: StageTask, ports: StagePorts): Promise<StageResult> {
  const state = createStageState(task, ports)
  const end = await runRounds(state)
  if (end === 'accepted') return await commitApproved(state, state.gatedTrees.at(-1))
  const { kept, stop } = await chooseParts(state, end === 'over' ? undefined : end)
  const unsettled = await selectPassingParts(state, kept)
  return await commitApproved(state, chooseTreeToCommit(state), stop ?? unsettled)
}

async function runRounds(state: StageState): Promise<'accepted' | 'over' | Ending> {
  let codes = state.codes
  let start: Composition = { selections: [], owners: [] }
  for (let iteration = 1; ; iteration += 1) {
    const stop = await runFixRound(state, { name: toRoundName(iteration), iteration, codes, start })
    if (stop) return stop
    let next = decideRoundAfter(state, iteration)
    const latest = state.gatedTrees.at(-1)
    if (next.kind === 'accepted' && latest) {
      await verifyFreshCheckout(state, latest)
      next = decideRoundAfter(state, iteration)
    }
    if (next.kind !== 'again') return next.kind
    ;({ codes, start } = next)
  }
}

function decideRoundAfter(state: StageState, iterationsUsed: number): NextRound {
  const ended = new Set(state.endedIssues.keys())
  const soFar = { codes: listOpenCodes(state), ended, attempts: listAttempts(state), iterationsUsed }
  return decideNextRound(soFar, state.task.rules)
}

/** The groups worth keeping, after one more round for issues that only another issue held back: once per stage, and final. */
async function chooseParts(
  state: StageState,
  stop?: Ending,
): Promise<{ kept: readonly GroupChoice[]; stop?: Ending | undefined }> {
  const { rules } = state.task
  const attempts = listAttempts(state)
  // If the whole diff has a score of its own and never reached it, there are no parts to save.
  if (!attempts.some((attempt) => wholeDiffPasses(attempt, rules))) return { kept: [], stop }

  const codes = listOpenCodes(state)
  const kept = selectApprovedGroups(codes, attempts, rules)
  const safe = kept.flatMap(({ group }) => group)
  const held = chooseBestAttempts(codes, attempts, rules)
    .flatMap(({ group, attempt }) => group.filter((code) => isApproved(code, attempt, rules)))
    .filter((code) => !safe.includes(code) && !state.endedIssues.has(code))
  if (stop || held.length === 0) return { kept, stop }

  const iteration = findLatestIteration(state, state.codes) + 1
  const failed = await runFixRound(state, { name: 'extra', iteration, codes: held, start: composeSelections(kept) })
  const more = selectApprovedGroups([...safe, ...held], listAttempts(state), rules)
  const costsNobody = safe.every((code) => more.some(({ group }) => group.includes(code)))
  return { kept: costsNobody ? more : kept, stop: failed }
}
