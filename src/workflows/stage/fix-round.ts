// One round: a fixer call for every batch, each on top of the one before, then the gates on the resulting tree. Changes that a call
// can't have touched keep their snapshot, so that the same work stays recognisable from round to round.
import { isIssueLimit } from '../../domain/budget/limits.ts'
import { type Batch, listBatchCodes } from '../../domain/plan/plan.ts'
import { formatStepId, formatStepPart } from '../../domain/session/step-id.ts'
import type { RoundName } from '../../domain/session/step-patterns.ts'
import { type Composition, listSelectedCodes } from '../../domain/stage/attempt.ts'
import { groupIssues } from '../../domain/stage/issue-groups.ts'
import type { Conversation, Ending, FixOutcome, FixWork } from '../../domain/workflow-types/index.ts'
import { retryWhileLimited } from '../provider-backoff.ts'
import { type FalsePositiveClaim, listFalsePositiveClaims } from './false-positive-claims.ts'
import { challengeClaimsOnly, runGates } from './run-gates.ts'
import { endOverspentIssues, findGatedTree, listAttempts, listGateStepIds, type StageState } from './stage-state.ts'
import { type FixerReport, trackRound } from './track-attempts.ts'

interface RoundPlan {
  readonly name: RoundName
  readonly iteration: number
  readonly codes: readonly string[]
  /** The tree that the round starts from. */
  readonly start: Composition
}

interface BatchTask {
  readonly batch: Batch
  readonly codes: readonly string[]
  readonly stepId: string
}

export async function runFixRound(state: StageState, round: RoundPlan): Promise<Ending | undefined> {
  const { task, ports, head } = state
  const { name, iteration, start } = round
  const feedback = listGateStepIds(state, findGatedTree(state, start.selections))
  let made = start
  let last: FixOutcome | undefined
  let hasWorked = false
  let cut: Ending | undefined
  const spent: Record<string, string> = {}
  const claims: FalsePositiveClaim[] = []
  const reports: FixerReport[] = []
  const todo = task.stage.batches.map((batch, index): BatchTask => {
    const stepId = formatStepId({ kind: 'fix', stage: task.number, round_name: name, batch: index + 1 })
    return { batch, codes: listBatchCodes(batch), stepId }
  })
  for (let next = todo.shift(); next; next = todo.shift()) {
    const { batch } = next
    const codes = next.codes.filter((code) => round.codes.includes(code) && !state.endedIssues.has(code))
    if (codes.length === 0) continue
    const before = made
    const fix = (stepId: string, interrupted: FixOutcome | undefined): Promise<FixOutcome> => {
      // Changes outside of the scope are built on as well: the next snapshot asks about all that nobody has allowed.
      const from = interrupted ? takeOverSnapshot(state, before, codes, interrupted.work).made : before
      const resume = chooseConversation(state, codes, before)
      const { brief } = task
      const step = {
        stepId,
        head,
        stage: task.number,
        batch,
        iteration,
        codes,
        start: from.selections,
        feedbackStepIds: feedback,
      }
      return ports.fixBatch({ ...step, ...(brief ? { brief } : {}), ...(resume ? { resume } : {}) })
    }
    const answer = await retryWhileLimited(next.stepId, task.timeouts, ports, fix)
    if (answer.kind === 'stop' && !canRunGates(state, answer.outcome)) return answer.ending
    if (answer.kind === 'stop') cut = answer.ending

    last = answer.outcome
    Object.assign(spent, last.overspent)
    hasWorked ||= last.failure === undefined
    if (last.conversation) state.conversations.set(answer.stepId, last.conversation)
    const { outOfScope, violations, needsApproval = [] } = last.work
    const decided = needsApproval.length > 0 ? await ports.decideScope(answer.stepId) : undefined
    const barred = [...outOfScope, ...(decided?.barred ?? [])]
    const taken = takeOverSnapshot(state, before, codes, { ...last.work, outOfScope: barred })
    made = taken.made
    const rest = listUnspentCodes(codes, last)
    const answered = codes.filter((code) => !rest.includes(code))
    recordFixOutcome(state, answered, last)
    reports.push({ codes: answered, outcome: last })
    if (rest.length > 0) {
      todo.unshift({ batch, codes: rest, stepId: formatStepPart(next.stepId, { kind: 'rest' }) })
    }
    claims.push(...listFalsePositiveClaims(codes, last))
    const touched = `the fix touched what it may not: ${violations.slice(0, 5).join(', ')}`
    for (const group of taken.violating) {
      const reason = decided && !group.some((code) => outOfScope.includes(code)) ? decided.reason : touched
      for (const code of group) state.endedIssues.set(code, { class: 'verdict', reason })
    }
    if (cut) break
  }
  if (!last) return undefined
  const stop = await runRoundGates(state, { name, made, tree: last.work.tree, hasWorked, claims })
  endOverspentIssues(state, spent)
  trackRound(state, reports)
  return stop ?? cut
}

interface RoundTree {
  readonly name: RoundName
  readonly made: Composition
  readonly tree: string
  readonly hasWorked: boolean
  readonly claims: readonly FalsePositiveClaim[]
}

async function runRoundGates(
  state: StageState,
  { name, made, tree, hasWorked, claims }: RoundTree,
): Promise<Ending | undefined> {
  const inTree = listSelectedCodes(made)
  const open = claims.filter(({ code }) => !state.endedIssues.has(code) && !inTree.includes(code))
  if (inTree.length > 0) {
    const same =
      findGatedTree(state, made.selections) ??
      state.gatedTrees.findLast(
        ({ head, attempt }) =>
          head === state.head && attempt.tree === tree && listSelectedCodes(attempt).length === inTree.length,
      )
    // A claim is about no change of this tree, so the challenger is asked in any case.
    const skipsChallengeIfFailed = state.task.rules.skipsFailedChallenges && open.length === 0
    if (!same) return await runGates(state, { ...made, tree }, { name, claims: open, skipsChallengeIfFailed })
    // A tree keeps its verdict: to ask again would only buy another opinion. A crashed call is not even an attempt.
    if (hasWorked) state.gatedTrees.push(same)
  }
  return open.length > 0 ? await challengeClaimsOnly(state, name, open) : undefined
}

/** Work that a call left when its budget ended it goes through the gates only where they cost nothing. */
function canRunGates({ task: { rules } }: StageState, { failure, work }: FixOutcome): boolean {
  const isSpent = failure?.class === 'budget' && failure.limit !== 'session_seconds'
  return isSpent && !rules.challenge && (work.needsApproval ?? []).length === 0
}

/** The tree after a call: issues that it worked on, and issues in a group with them, come from its snapshot; the rest keep theirs. */
function takeOverSnapshot(state: StageState, before: Composition, codes: readonly string[], work: FixWork) {
  const owners = [...before.owners, ...work.owners, ...listAttempts(state).flatMap((attempt) => attempt.owners)]
  const groups = groupIssues(state.codes, owners)
  const isAmong = (some: readonly string[]) => (group: readonly string[]) => group.some((code) => some.includes(code))
  const violating = groups.filter(isAmong(work.outOfScope))
  const touched = groups.filter(isAmong(codes)).flat()
  const fresh = touched.filter((code) => (work.issues[code]?.files ?? 0) > 0 && !violating.flat().includes(code))
  const carried = before.selections.map(({ snapshot, codes: own }) => ({
    snapshot,
    codes: own.filter((code) => !touched.includes(code)),
  }))
  const made: Composition = {
    selections: [...carried, { snapshot: work.snapshot, codes: fresh }].filter(
      (selection) => selection.codes.length > 0,
    ),
    owners: [...before.owners.filter((set) => !isAmong(touched)(set)), ...work.owners],
  }
  return { made, violating }
}

/** The conversation that made the tree these issues start from; if that tree was discarded, the one in which the work was planned. */
function chooseConversation(
  { conversations, task }: StageState,
  codes: readonly string[],
  { selections }: Composition,
): Conversation | undefined {
  const snapshots = selections
    .filter((selection) => selection.codes.some((code) => codes.includes(code)))
    .map((selection) => selection.snapshot)
  const [only] = snapshots
  const own = snapshots.length === 1 && only !== undefined ? conversations.get(only) : undefined
  return own ?? task.plannedConversation
}

/** Issues of a call that ended because others overspent: they are asked about again, without the others. */
function listUnspentCodes(codes: readonly string[], { failure, overspent = {} }: FixOutcome): string[] {
  if (failure?.class !== 'budget' || !isIssueLimit(failure.limit)) return []
  const others = codes.filter((code) => overspent[code] === undefined)
  return others.length < codes.length ? others : []
}

function recordFixOutcome(
  { problems, iterations }: StageState,
  codes: readonly string[],
  { work, failure }: FixOutcome,
): void {
  for (const code of codes) {
    const own = work.issues[code]
    if (!own?.isGone) iterations.set(code, (iterations.get(code) ?? 0) + 1)
    const what = own?.claim ?? (own?.isBlocked && 'blocked')
    const claimed = what ? `no changes applied (${what}: ${own?.message})` : own?.message
    const reason = failure?.detail ?? (own?.files ? undefined : claimed || 'no changes applied')
    if (reason) problems.set(code, { class: 'no_usable_work', reason })
  }
}
