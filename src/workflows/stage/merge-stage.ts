// An approved tree whose branch has moved: it is merged onto the new commit and passes the gates again. After a person's commit all
// gates are asked; after another lane's the challenger's verdict stands as long as the stage's own diff is the same byte for byte.

import { formatStepId, toMergeName } from '../../domain/session/step-id.ts'
import { type Attempt, listSelectedCodes, passesEveryGate } from '../../domain/stage/attempt.ts'
import { selectApprovedGroups } from '../../domain/stage/issue-groups.ts'
import type { Ending, FixWork } from '../../domain/workflow-types/index.ts'
import { runGates } from './run-gates.ts'
import { listGroupChoices, selectPassingParts } from './select-passing-parts.ts'
import { type GatedTree, listAttempts, listOpenCodes, type StageState } from './stage-state.ts'

interface MergeTurn {
  readonly turn: number
  readonly onto: string
}

/** Without other lanes. */
export async function mergeOntoHead(
  state: StageState,
  { attempt }: GatedTree,
  at: MergeTurn,
): Promise<Ending | undefined> {
  const { rules } = state.task
  const merged = await merge(state, attempt, at)
  if (merged.kind === 'conflict') return endConflicting(state, attempt, merged.paths)
  const { left, work } = merged
  if (left.length === 0) return undefined
  const options = {
    name: toMergeName(at.turn),
    ignoresLimits: true,
    skipsChallengeIfFailed: rules.skipsFailedChallenges,
  }
  const stop = await runGates(state, toComposition(work, left), options)
  if (stop) return loseIssues(state, left, stop)
  return await selectPartsOfMerged(state, left, at)
}

/**
 * Beside other lanes. The turn to land is kept only while checks run. What conflicts or fails goes another round, unless it is the last
 * chance to commit anything.
 */
export async function composeOntoHead(
  state: StageState,
  gated: GatedTree,
  at: MergeTurn & { readonly isLast: boolean },
): Promise<Ending | 'again' | undefined> {
  const { ports, proofs, oldTests, task } = state
  const { attempt } = gated
  const before = `${state.head} ${attempt.tree}`
  const merged = await merge(state, attempt, { ...at, challengeStepId: gated.challengeStepId })
  if (merged.kind === 'conflict') {
    if (at.isLast) return endConflicting(state, attempt, merged.paths)
    return goAgain(state, attempt)
  }
  const { left, work, isSameDiff, stepId } = merged
  if (left.length === 0) return undefined
  const isWhole = left.length === listSelectedCodes(attempt).length
  const { challengeStepId } = gated
  // The merge has put the challenge on record for the merged tree.
  const standing =
    isSameDiff && isWhole
      ? { ...gated, ...(challengeStepId === undefined ? {} : { challengeStepId: stepId }) }
      : undefined
  if (!standing && task.rules.challenge) ports.landing?.leave()
  const stop = await runGates(state, toComposition(work, left), {
    name: toMergeName(at.turn),
    ignoresLimits: true,
    skipsChallengeIfFailed: true,
    standing,
    inFreshCheckout: task.rules.verifiesFreshCheckout,
  })
  if (stop) return loseIssues(state, left, stop)
  const composed = state.gatedTrees.at(-1)
  if (composed && passesEveryGate(composed.attempt, task.rules)) {
    if (standing) carryOver(`${state.head} ${composed.attempt.tree}`)
    return undefined
  }
  ports.landing?.leave()
  return at.isLast ? await selectPartsOfMerged(state, left, at) : goAgain(state, attempt)

  /** The same diff has the same proofs, and what a person said about it holds. */
  function carryOver(now: string): void {
    const [known, asked] = [proofs.get(before), oldTests.get(before)]
    if (known) proofs.set(now, known)
    if (asked?.isAllowed) oldTests.set(now, asked)
  }
}

type Merged =
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | {
      readonly kind: 'clean'
      readonly work: FixWork
      /** Issues that the new commit leaves changes of. */
      readonly left: readonly string[]
      readonly isSameDiff: boolean
      readonly stepId: string
    }

/** The stage stands on the new commit from here on. */
async function merge(
  state: StageState,
  { selections }: Attempt,
  { turn, onto, challengeStepId }: MergeTurn & { readonly challengeStepId?: string | undefined },
): Promise<Merged> {
  const { task, ports } = state
  const codes = selections.flatMap((selection) => selection.codes)
  const stepId = formatStepId({ kind: 'merge', stage: task.number, turn })
  const step = { stepId, head: state.head, selections, codes, onto, at: ports.now() }
  const outcome = await ports.mergeStage({ ...step, ...(challengeStepId === undefined ? {} : { challengeStepId }) })
  state.head = onto
  if (outcome.kind === 'conflict') return outcome
  const { work, isSameDiff = false } = outcome
  const left = codes.filter((code) => work.issues[code]?.files)
  for (const code of codes.filter((each) => !left.includes(each))) {
    state.problems.set(code, { class: 'verdict', reason: 'the branch holds these changes already' })
  }
  return { kind: 'clean', work, left, isSameDiff, stepId }
}

function toComposition({ snapshot, owners, tree }: FixWork, left: readonly string[]) {
  return { selections: [{ snapshot, codes: left }], owners, tree }
}

function endConflicting(state: StageState, attempt: Attempt, paths: readonly string[]): undefined {
  const reason = `conflicts with a commit made on the branch meanwhile, in ${paths.slice(0, 5).join(', ')}`
  for (const code of listSelectedCodes(attempt)) state.endedIssues.set(code, { class: 'verdict', reason })
}

function loseIssues(state: StageState, codes: readonly string[], stop: Ending): Ending {
  state.lostIssues = { codes, reason: stop.detail }
  return stop
}

async function selectPartsOfMerged(
  state: StageState,
  left: readonly string[],
  { turn }: MergeTurn,
): Promise<Ending | undefined> {
  const { rules } = state.task
  const merged = state.gatedTrees.at(-1)
  const isUnscored = merged?.attempt.verification === 'failed' && merged.challengeStepId === undefined
  const groups =
    isUnscored && rules.skipsFailedChallenges
      ? listGroupChoices(state, merged.attempt)
      : selectApprovedGroups(left, listAttempts(state), rules)
  return await selectPassingParts(state, groups, { step: 'merge', turn })
}

/** Only what had passed goes another round: the others had theirs. */
function goAgain(state: StageState, attempt: Attempt): 'again' {
  state.ports.landing?.leave()
  const codes = listSelectedCodes(attempt)
  for (const code of listOpenCodes(state).filter((each) => !codes.includes(each))) {
    const reason = 'it had not passed when another lane changed the same files'
    state.endedIssues.set(code, state.endedIssues.get(code) ?? state.problems.get(code) ?? { class: 'verdict', reason })
  }
  return 'again'
}
