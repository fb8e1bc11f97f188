// Leaves the issue groups out of a tree that make its verification fail, and keeps all others. Trees are only verified here, never
// challenged: the one that is kept goes through the gates like any other.

import { formatStepId } from '../../domain/session/step-id.ts'
import type { SelectionName } from '../../domain/session/step-patterns.ts'
import { type Composition, listScores } from '../../domain/stage/attempt.ts'
import { type Culprit, countMaxTrials, findCulprits } from '../../domain/stage/find-culprits.ts'
import { composeSelections, type GroupChoice, serializeSelections } from '../../domain/stage/issue-groups.ts'
import { joinList } from '../../domain/text/join-list.ts'
import type { Ending, VerifyOutcome } from '../../domain/workflow-types/index.ts'
import { overrideByFreshResult } from './run-gates.ts'
import {
  findFreshResult,
  findGatedTree,
  findLatestIteration,
  findTrial,
  type StageState,
  type Trial,
} from './stage-state.ts'

interface TrialOptions {
  readonly nextName: () => SelectionName
  readonly ignoresLimits: boolean
  readonly inFreshCheckout: boolean
}

interface PassingParts {
  readonly kept: readonly GroupChoice[]
  readonly stop?: Ending | undefined
}

/** The groups that pass together, of some that fail. Their tree may be challenged next. */
export async function leaveOutCulprits(
  state: StageState,
  failing: readonly GroupChoice[],
  options: TrialOptions,
): Promise<PassingParts> {
  if (findVerdict(state, composeSelections(failing))?.failedBefore) return { kept: [] }
  let stop: Ending | undefined
  let runs = 0
  const tryParts = async (parts: readonly GroupChoice[]): Promise<boolean | undefined> => {
    const made = composeSelections(parts)
    const known = findVerdict(state, made, options.inFreshCheckout)
    if (known) return breaksNothing(known)
    if (stop || runs >= countMaxTrials(failing.length)) return undefined
    runs += 1
    const { outcome } = await runTrial(state, made, options)
    if (outcome.failure) stop = { class: outcome.failure.class, detail: outcome.failure.detail }
    return stop ? undefined : breaksNothing(outcome)
  }
  const inOrder = failing.toSorted((a, b) => computeStrength(b) - computeStrength(a))
  const suspects = findSuspects(state, failing)
  const { passing, culprits, undecided } = await findCulprits(inOrder, suspects, tryParts)
  const restPasses = passing.length > 0 && findVerdict(state, composeSelections(passing))?.verdict !== 'failed'
  for (const culprit of culprits) recordCulprit(state, failing, { ...culprit, restPasses })
  if (!stop) {
    const reason = `the cause was not found in ${runs} runs of the checks`
    for (const { group } of undecided) recordReason(state, group, `${describeFailure(state, failing)}; ${reason}`)
  }
  return { kept: failing.filter((choice) => passing.includes(choice)), stop }
}

async function runTrial(
  state: StageState,
  { selections }: Composition,
  { nextName, ignoresLimits, inFreshCheckout }: TrialOptions,
): Promise<Trial> {
  const { task, ports, head } = state
  const name = nextName()
  const stepId = formatStepId({ kind: 'verify', stage: task.number, tree: name })
  const codes = selections.flatMap((selection) => selection.codes)
  const verified = await ports.verifyTree({
    stepId,
    head,
    selections,
    codes,
    iteration: findLatestIteration(state, codes),
    ...(inFreshCheckout ? { inFreshCheckout } : {}),
    ...(ignoresLimits ? { ignoresLimits } : {}),
  })
  const outcome = inFreshCheckout ? { ...verified, summary: `in a fresh checkout: ${verified.summary}` } : verified
  const trial = { name, stepId, outcome }
  if (inFreshCheckout && !outcome.failure) overrideByFreshResult(state, verified.tree, stepId, verified)
  if (!outcome.failure) state.trials.set(serializeSelections(selections), trial)
  return trial
}

type KnownVerdict = Pick<VerifyOutcome, 'summary' | 'suspects' | 'failedBefore' | 'brokeNothing'> & {
  readonly verdict: string
}

/** The result of this composition's verification, as a gated tree or as a trial. What only passed in the work tree may fail afresh. */
function findVerdict(state: StageState, { selections }: Composition, afresh = false): KnownVerdict | undefined {
  const gated = findGatedTree(state, selections)
  const trial = findTrial(state, selections)?.outcome
  const fresh = gated && findFreshResult(state, gated)
  const known = gated ? { ...gated.verified, ...fresh, verdict: gated.attempt.verification } : trial
  if (!known || (afresh && known.verdict !== 'failed' && !fresh && !trial?.inFreshCheckout)) return undefined
  return { summary: '', ...known }
}

/** Where all has to pass, the tree that is kept has to hold the part that mends what was red: the gates look at that. */
function breaksNothing({ verdict, brokeNothing }: Pick<KnownVerdict, 'verdict' | 'brokeNothing'>): boolean {
  return verdict !== 'failed' || brokeNothing === true
}

/** The one group that the failure's own words point to, if they point to no other. */
function findSuspects(state: StageState, failing: readonly GroupChoice[]): readonly GroupChoice[] {
  const codes = findVerdict(state, composeSelections(failing))?.suspects ?? []
  const named = failing.filter(({ group }) => group.some((code) => codes.includes(code)))
  return named.length === 1 ? named : []
}

/** The higher scores stay where two groups only fail together. */
function computeStrength({ group, attempt }: GroupChoice): number {
  return Math.min(...listScores(group, attempt))
}

interface FoundCulprit extends Culprit<GroupChoice> {
  readonly restPasses: boolean
}

function recordCulprit(
  state: StageState,
  failing: readonly GroupChoice[],
  { part, failsWith, restPasses }: FoundCulprit,
): void {
  const partners = failsWith?.flatMap(({ group }) => group) ?? []
  const tree = partners.length > 0 ? [part, ...(failsWith ?? [])] : [part]
  const failure = describeFailure(state, tree) ?? describeFailure(state, failing)
  const ending =
    partners.length > 0
      ? `, but only together with ${joinList(partners)}, which is kept`
      : restPasses
        ? `; without ${part.group.length > 1 ? 'them' : 'it'} the rest passes`
        : ''
  recordReason(state, part.group, `${failure}${ending}`)
}

/** Undefined if the tree of these parts was not verified, or passed. */
function describeFailure(state: StageState, parts: readonly GroupChoice[]): string | undefined {
  const found = findVerdict(state, composeSelections(parts))
  return found?.verdict === 'failed' ? `verification failed: ${found.summary}` : undefined
}

function recordReason({ problems }: StageState, group: readonly string[], reason: string): void {
  for (const code of group) {
    const others = group.filter((each) => each !== code)
    const shared =
      others.length > 0
        ? `; failed together with ${joinList(others)}: could not be separated because they change the same lines`
        : ''
    problems.set(code, { class: 'verdict', reason: `${reason}${shared}` })
  }
}
