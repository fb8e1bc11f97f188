// From a tree that passed to a commit on the branch, which belongs to people too: if it is checked out, the stage waits for it; if it
// has moved, the work is merged onto the new commit and has to pass the gates again.

import type { Ending } from '../../domain/protocol/index.ts'
import { formatStepId, formatStepPart, toMergeName } from '../../domain/session/step-id.ts'
import { listSelectedCodes, passesEveryGate } from '../../domain/stage/attempt.ts'
import { selectApprovedGroups } from '../../domain/stage/issue-groups.ts'
import { runGates } from './judge-tree.ts'
import { proveIssueGroups } from './regression-proof.ts'
import { chooseTreeToCommit, selectPassingParts } from './select-passing-parts.ts'
import {
  findLatestIteration,
  type GatedTree,
  listAttempts,
  type StageResult,
  type StageState,
  toStageResult,
} from './stage-state.ts'
import { splitIntoGroups, verifyFreshCheckout } from './verify-fresh-checkout.ts'

export async function commitApproved(
  state: StageState,
  chosen: GatedTree | undefined,
  stop?: Ending,
): Promise<StageResult> {
  const { task, ports } = state
  const started = ports.now()
  let gated = chosen
  let ending = stop
  for (let turn = 1; gated; turn += 1) {
    const { attempt, challengeStepId } = await verifyFreshCheckout(state, gated)
    if (!passesEveryGate(attempt, task.rules)) {
      const failed = await selectPassingParts(state, splitIntoGroups(state, attempt), {
        step: 'fresh',
        turn: state.freshResults.size,
      })
      ending ??= failed
      gated = chooseTreeToCommit(state)
      continue
    }
    const codes = listSelectedCodes(attempt)
    const proofs = await proveIssueGroups(state, attempt)
    const stepId = formatStepId({ kind: 'commit', stage: task.number, turn })
    const outcome = await ports.commit({
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
      return toStageResult(state, { sha: outcome.sha, codes: outcome.codes, attempt }, ending)
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

/** Milliseconds until the next look at the branch: short at first, ten minutes in the end. */
function computeBranchRetryDelay(turn: number): number {
  return Math.min(turn ** 2 * 2, 600) * 1000
}

async function mergeOntoHead(
  state: StageState,
  { attempt: { selections } }: GatedTree,
  { turn, onto }: { readonly turn: number; readonly onto: string },
): Promise<Ending | undefined> {
  const { task, ports } = state
  const codes = selections.flatMap((selection) => selection.codes)
  const stepId = formatStepId({ kind: 'merge', stage: task.number, turn })
  const outcome = await ports.merge({
    stepId,
    head: state.head,
    selections,
    codes,
    onto,
    at: ports.now(),
  })
  state.head = onto
  if (outcome.kind === 'conflict') {
    const reason = `conflicts with a commit made on the branch meanwhile, in ${outcome.paths.slice(0, 5).join(', ')}`
    for (const code of codes) state.endedIssues.set(code, { class: 'verdict', reason })
    return undefined
  }
  const { snapshot, tree, owners, issues } = outcome.work
  const left = codes.filter((code) => issues[code]?.files)
  for (const code of codes.filter((each) => !left.includes(each))) {
    state.problems.set(code, { class: 'verdict', reason: 'the branch holds these changes already' })
  }
  if (left.length === 0) return undefined
  const stop = await runGates(
    state,
    { selections: [{ snapshot, codes: left }], owners, tree },
    { name: toMergeName(turn), ignoresLimits: true },
  )
  if (stop) {
    state.lostIssues = { codes: left, reason: stop.detail }
    return stop
  }
  const approved = selectApprovedGroups(left, listAttempts(state), task.rules)
  return await selectPassingParts(state, approved, { step: 'merge', turn })
}
