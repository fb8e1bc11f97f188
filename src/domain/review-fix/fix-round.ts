// A round of the fixer as the tracker sees it: who is asked, what its answer means, when there is no further round. An answer is a claim;
// it counts only as far as the diff and the gates bear it out.
import { type ReportedOutcome, worseOutcome } from './fix-outcomes.ts'
import { addRemark, isComplete, listActionable, recordOutcome, type Trackable, type Tracker } from './tracker.ts'

export interface AskedRound {
  readonly at: number
  /** The ids that the fixer was given. */
  readonly asked: readonly string[]
}

/** `unusable`: the call crashed, met a limit, was cancelled or could not be read. Nobody has taken a stand, so no attempt counts. */
export type FixerAnswer =
  | { readonly kind: 'read'; readonly outcomes: readonly ReportedOutcome[] }
  | { readonly kind: 'unusable'; readonly detail: string }

/** Why the claim that a finding is fixed is not believed: what the gates said, or that nothing of its own has changed. */
export type FindDoubt = (id: string) => string | undefined

export function recordRound<Finding extends Trackable>(
  tracker: Tracker<Finding>,
  { at, asked }: AskedRound,
  answer: FixerAnswer,
  findDoubt: FindDoubt,
): Tracker<Finding> {
  if (answer.kind === 'unusable') return addRemark(tracker, `a round of the fixer came to nothing: ${answer.detail}`)
  const given = new Set(asked)
  const stands = new Map<string, ReportedOutcome>()
  let next = tracker
  for (const reported of answer.outcomes) {
    const { id } = reported
    if (!given.has(id)) {
      const isKnown = tracker.tracked.some((each) => each.id === id)
      next = addRemark(
        next,
        `an outcome was reported for ${id}, ${isKnown ? 'which this round was not about' : 'which is no finding of this review'}`,
      )
      continue
    }
    const before = stands.get(id)
    if (before && before.outcome !== reported.outcome)
      next = addRemark(next, `${id} was reported as ${before.outcome} and as ${reported.outcome}: the worse counts`)
    stands.set(id, before ? worseOutcome(before, reported) : reported)
  }
  for (const id of given) {
    const { outcome, explanation } = stands.get(id) ?? { outcome: 'deferred', explanation: 'not reported' }
    const doubt = outcome === 'fixed' ? findDoubt(id) : undefined
    next = recordOutcome(
      next,
      id,
      doubt === undefined ? { at, outcome, explanation } : { at, outcome: 'deferred', explanation: doubt },
    )
  }
  return next
}

export interface LoopState {
  /** Rounds that have been played. */
  readonly rounds: number
  readonly maxIterations: number
  /** Whether the last round changed the tree or an outcome; true before the first one. */
  readonly hasMoved: boolean
}

export type PlannedRound =
  | { readonly kind: 'ask'; readonly ids: readonly string[] }
  | { readonly kind: 'stop'; readonly why: 'complete' | 'limit' | 'stalled' }

export function planRound(tracker: Tracker, { rounds, maxIterations, hasMoved }: LoopState): PlannedRound {
  if (isComplete(tracker)) return { kind: 'stop', why: 'complete' }
  if (rounds >= maxIterations) return { kind: 'stop', why: 'limit' }
  if (!hasMoved) return { kind: 'stop', why: 'stalled' }
  return { kind: 'ask', ids: listActionable(tracker).map(({ id }) => id) }
}
