// One stage, free of Temporal: rounds until the rules say stop, then what passed is put together, goes through the gates as
// that tree and is committed. Every tree is composed from the stage's base, so there is nothing to revert.

import { listStageCodes } from '../../domain/plan/plan.ts'
import { toRoundName } from '../../domain/session/step-id.ts'
import { isApproved, listSelectedCodes, wholeDiffPasses } from '../../domain/stage/attempt.ts'
import {
  chooseBestAttempts,
  composeSelections,
  type GroupChoice,
  selectApprovedGroups,
} from '../../domain/stage/issue-groups.ts'
import { decideNextRound, type NextRound } from '../../domain/stage/next-round.ts'
import type { Ending } from '../../domain/workflow-types/index.ts'
import { commitApprovedTree, verifyFreshCheckout } from './commit-approved-tree.ts'
import { runFixRound } from './fix-round.ts'
import { challengeFailedTree } from './run-gates.ts'
import { chooseTreeToCommit, selectPassingParts } from './select-passing-parts.ts'
import type { StagePorts } from './stage-ports.ts'
import {
  findLatestIteration,
  listAttempts,
  listOpenCodes,
  type StageResult,
  type StageState,
  type StageTask,
} from './stage-state.ts'
import { startStageTracker } from './track-attempts.ts'
import { reconsiderRefutedTrees, verifyWithOldTests } from './verify-old-tests.ts'

export async function runStage(task: StageTask, ports: StagePorts): Promise<StageResult> {
  const state: StageState = {
    task,
    ports,
    codes: listStageCodes(task.stage),
    head: task.head,
    gatedTrees: [],
    trials: new Map(),
    gateSteps: [],
    iterations: new Map(),
    endedIssues: new Map(),
    falsePositives: new Map(),
    problems: new Map(),
    conversations: new Map(),
    freshResults: new Map(),
    oldTests: new Map(),
    barred: new Set(),
    proofs: new Map(),
    rounds: 0,
    turns: 0,
    trains: 0,
    tracker: startStageTracker(task),
  }
  for (;;) {
    const result = await commitRounds(state, await runRounds(state))
    if (result !== 'again') return result
  }
}

async function commitRounds(state: StageState, end: RoundsEnd): Promise<StageResult | 'again'> {
  reconsiderRefutedTrees(state)
  if (end === 'accepted') return await commitApprovedTree(state, state.gatedTrees.at(-1))
  const cut = end === 'over' ? undefined : end
  // Once a limit of the session is reached, nobody is asked about what has not passed.
  const unscored = cut?.class === 'budget' ? undefined : await scoreLastRound(state, listOpenCodes(state))
  const { kept, stop } = await chooseParts(state, cut ?? unscored)
  const turn = state.turns
  const unsettled = await selectPassingParts(state, kept, turn === 0 ? undefined : { step: 'merge', turn })
  return await commitApprovedTree(state, chooseTreeToCommit(state), stop ?? unsettled)
}

type RoundsEnd = 'accepted' | 'over' | Ending

/** On a new base, which another lane has made, at least one more round is allowed. */
async function runRounds(state: StageState): Promise<RoundsEnd> {
  const rules = { ...state.task.rules, maxIterations: Math.max(state.task.rules.maxIterations, state.rounds + 1) }
  const decide = (): NextRound => {
    const ended = new Set(state.endedIssues.keys())
    const soFar = { codes: listOpenCodes(state), ended, attempts: listAttempts(state), iterationsUsed: state.rounds }
    return decideNextRound(soFar, rules)
  }
  let round: NextRound =
    state.rounds === 0 ? { kind: 'again', codes: state.codes, start: { selections: [], owners: [] } } : decide()
  while (round.kind === 'again') {
    state.rounds += 1
    const { codes, start } = round
    const iteration = state.rounds
    const stop = await runFixRound(state, { name: toRoundName(iteration), iteration, codes, start })
    if (stop) return stop
    round = decide()
    const latest = state.gatedTrees.at(-1)
    if (round.kind === 'accepted' && latest) {
      const verified = await verifyFreshCheckout(state, latest)
      await verifyWithOldTests(state, verified, { hasRoundsLeft: iteration < rules.maxIterations })
      round = decide()
    }
  }
  return round.kind
}

/** Has the last round's tree challenged although it fails the verification, if a part of it may be kept. */
async function scoreLastRound(state: StageState, codes: readonly string[]): Promise<Ending | undefined> {
  const { rules } = state.task
  const last = state.gatedTrees.at(-1)
  if (!rules.skipsFailedChallenges || !rules.challenge || last?.challengeStepId !== undefined) return undefined
  if (last?.head !== state.head) return undefined
  // Nobody is asked about a tree with changes for what is a false positive by now.
  if (!listSelectedCodes(last.attempt).every((code) => codes.includes(code))) return undefined
  const choices = chooseBestAttempts(codes, listAttempts(state), rules)
  const isWanted = choices.length > 1 && choices.some(({ attempt }) => attempt === last.attempt)
  return isWanted ? await challengeFailedTree(state, last) : undefined
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
    .filter((code) => !rules.boundsExtraRound || (state.iterations.get(code) ?? 0) < rules.maxIterations)
  if (stop || held.length === 0 || state.hadExtraRound) return { kept, stop }

  state.hadExtraRound = true
  const iteration = findLatestIteration(state, rules.boundsExtraRound ? held : state.codes) + 1
  const cut = await runFixRound(state, { name: 'extra', iteration, codes: held, start: composeSelections(kept) })
  const failed = cut ?? (await scoreLastRound(state, [...safe, ...held]))
  const more = selectApprovedGroups([...safe, ...held], listAttempts(state), rules)
  const costsNobody = safe.every((code) => more.some(({ group }) => group.includes(code)))
  return { kept: costsNobody ? more : kept, stop: failed }
}
