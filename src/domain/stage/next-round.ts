// Decides whether a stage goes another round, with which issues, and from which tree.

import {
  type Attempt,
  type Composition,
  isSolved,
  listScores,
  listSelectedCodes,
  mean,
  passesEveryGate,
  type StageRules,
  wholeDiffPasses,
} from './attempt.ts'
import { chooseBestAttempts, composeSelections, type GroupChoice, isBetter, isSameSelection } from './issue-groups.ts'

export interface StageProgress {
  readonly codes: readonly string[]
  /** Issues that get no further round, whatever happens; their earlier work still counts. */
  readonly ended: ReadonlySet<string>
  readonly attempts: readonly Attempt[]
  readonly iterationsUsed: number
}

export type NextRound =
  | { readonly kind: 'accepted'; readonly attempt: Attempt }
  | { readonly kind: 'again'; readonly codes: readonly string[]; readonly start: Composition }
  | { readonly kind: 'over'; readonly why: 'iterations' | 'stalled' | 'nothing left to try' }

export function decideNextRound(
  { codes: all, ended, attempts, iterationsUsed }: StageProgress,
  rules: StageRules,
): NextRound {
  const codes = dropEndedIssues(all, ended, attempts, rules)
  const latest = attempts.at(-1)
  // An accepted tree holds no issue that has been found to be a false positive since.
  const isOfThese = latest !== undefined && listSelectedCodes(latest).every((code) => all.includes(code))
  if (isOfThese && isAccepted(codes, latest, rules)) return { kind: 'accepted', attempt: latest }
  if (iterationsUsed >= rules.maxIterations) return { kind: 'over', why: 'iterations' }
  if (latest && hasStalled(codes, latest, attempts.slice(0, -1), rules)) return { kind: 'over', why: 'stalled' }

  const choices = chooseBestAttempts(codes, attempts, rules)
  const start = composeSelections(choices)
  const again = selectIssuesToRetry(codes, choices, attempts, rules).filter((code) => !ended.has(code))
  return again.length > 0 ? { kind: 'again', codes: again, start } : { kind: 'over', why: 'nothing left to try' }
}

/** Whether these issues may be committed without another round. */
export function isAccepted(codes: readonly string[], attempt: Attempt, rules: StageRules): boolean {
  if (!passesEveryGate(attempt, rules) || !codes.every((code) => isSolved(code, attempt, rules))) return false
  // The score of the stage is the mean of its issues, unless the challenger gave one for the whole diff.
  return (
    !rules.challenge || rules.requiresWholeDiffScore || mean(listScores(codes, attempt)) >= rules.satisfactionThreshold
  )
}

/** Drops issues that ended unsolved: nothing can come of them, and issues that share files with them start over. */
function dropEndedIssues(
  codes: readonly string[],
  ended: ReadonlySet<string>,
  attempts: readonly Attempt[],
  rules: StageRules,
): readonly string[] {
  const choices = chooseBestAttempts(codes, attempts, rules)
  const left = codes.filter((code) => !ended.has(code) || isSolvedIn(choices, code, rules))
  return left.length === codes.length ? codes : dropEndedIssues(left, ended, attempts, rules)
}

function isSolvedIn(choices: readonly GroupChoice[], code: string, rules: StageRules): boolean {
  const choice = choices.find(({ group }) => group.includes(code))
  return choice !== undefined && isSolved(code, choice.attempt, rules)
}

/** All issues if the tree as a whole failed, else those below the floor, else those that keep the mean down. */
function selectIssuesToRetry(
  codes: readonly string[],
  choices: readonly GroupChoice[],
  attempts: readonly Attempt[],
  rules: StageRules,
): readonly string[] {
  // If the tree that the next round starts from has been through the gates, its own verdicts hold.
  const gated = attempts.findLast((attempt) =>
    isSameSelection(attempt.selections, composeSelections(choices).selections),
  )
  const verdicts = gated ? [{ group: codes, attempt: gated }] : choices
  const failsAsAWhole = verdicts.some(
    ({ attempt }) => attempt.verification === 'failed' || !wholeDiffPasses(attempt, rules),
  )
  if (failsAsAWhole) return codes
  const belowFloor = codes.filter((code) => !isSolvedIn(verdicts, code, rules))
  if (belowFloor.length > 0 || !rules.challenge) return belowFloor
  return codes.filter((code) => {
    const score = verdicts.find(({ group }) => group.includes(code))?.attempt.issues[code]?.score
    return score === undefined || score < rules.satisfactionThreshold
  })
}

/** Whether the tree or the feedback repeats an earlier one without getting better: another round would only cost. */
function hasStalled(
  codes: readonly string[],
  latest: Attempt,
  earlier: readonly Attempt[],
  rules: StageRules,
): boolean {
  const repeats = earlier.some(
    ({ tree, feedbackKey }) =>
      tree === latest.tree || (feedbackKey !== undefined && feedbackKey === latest.feedbackKey),
  )
  return repeats && !earlier.every((attempt) => isBetter(latest, attempt, codes, rules))
}
