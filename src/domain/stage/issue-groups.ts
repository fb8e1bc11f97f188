// Issues that share a changed file in any attempt of a stage form an issue group: kept or left out as one. Each group has its own best
// attempt, and trees are composed from those.
import {
  type Attempt,
  type Composition,
  isApproved,
  listScores,
  listSelectedCodes,
  mean,
  passesEveryGate,
  type Selection,
  type StageRules,
} from './attempt.ts'

export type IssueGroup = readonly string[]

export interface GroupChoice {
  readonly group: IssueGroup
  readonly attempt: Attempt
}

/**
 * Joins the issues of each set of owners, transitively; an issue alone is a group of one. Owners that are not among the codes join
 * nothing. Gap: attempts know which issues share a file, not which file; two issues that change one file only in different attempts are
 * not grouped. A tree composed from them still goes through the gates as a whole.
 */
export function groupIssues(codes: readonly string[], owners: Composition['owners']): IssueGroup[] {
  let groups: IssueGroup[] = codes.map((code) => [code])
  for (const set of owners) {
    const joined = groups.filter((group) => group.some((code) => set.includes(code)))
    if (joined.length < 2) continue
    const others = groups.filter((group) => !joined.includes(group))
    groups = [...others, joined.flat()]
  }
  const place = new Map(codes.map((code, index) => [code, index]))
  const byPlace = (a: string, b: string) => (place.get(a) ?? 0) - (place.get(b) ?? 0)
  return groups.map((group) => [...group].sort(byPlace)).sort(([a = ''], [b = '']) => byPlace(a, b))
}

/** The groups of these issues with their best attempts, without groups that no attempt is about. */
export function chooseBestAttempts(
  codes: readonly string[],
  attempts: readonly Attempt[],
  rules: StageRules,
): GroupChoice[] {
  const owners = attempts.flatMap((attempt) => attempt.owners)
  return groupIssues(codes, owners).flatMap((group) => {
    const about = attempts.filter((attempt) => isAttemptAbout(group, attempt, codes))
    const attempt = findBestAttempt(about, (each) => rankAttempt(group, each, rules))
    return attempt ? [{ group: group, attempt }] : []
  })
}

/** The attempt changed the group and shares none of its files with another issue: such a file could not be taken over. */
function isAttemptAbout(group: IssueGroup, attempt: Attempt, codes: readonly string[]): boolean {
  const inTree = listSelectedCodes(attempt)
  if (!group.some((code) => inTree.includes(code))) return false
  return !attempt.owners.some(
    (set) => set.some((code) => group.includes(code)) && set.some((code) => !codes.includes(code)),
  )
}

/** Verification, blockers, number of approved issues, lowest score, mean score: the first difference decides. */
function rankAttempt(group: IssueGroup, attempt: Attempt, rules: StageRules): number[] {
  const scores = group.map((code) => attempt.issues[code]?.score ?? -1)
  return [
    attempt.verification === 'failed' ? 0 : 1,
    group.some((code) => (attempt.issues[code]?.blockers ?? 0) > 0) ? 0 : 1,
    group.filter((code) => isApproved(code, attempt, rules)).length,
    Math.min(...scores),
    mean(scores),
  ]
}

/** Whether the first attempt is better than the second for these issues together. */
export function isBetter(a: Attempt, b: Attempt, codes: IssueGroup, rules: StageRules): boolean {
  return compareRanks(rankAttempt(codes, a, rules), rankAttempt(codes, b, rules)) > 0
}

/** A later attempt wins only if it is at least as good as the best before. */
function findBestAttempt(
  attempts: readonly Attempt[],
  rank: (attempt: Attempt) => readonly number[],
): Attempt | undefined {
  return attempts.reduce<Attempt | undefined>(
    (found, each) => (found && compareRanks(rank(each), rank(found)) < 0 ? found : each),
    undefined,
  )
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at])
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}

/** Groups in which every issue is approved. An issue that is not is dropped, and the rest of its group is chosen again without it. */
export function selectApprovedGroups(
  codes: readonly string[],
  attempts: readonly Attempt[],
  rules: StageRules,
): GroupChoice[] {
  const choices = chooseBestAttempts(codes, attempts, rules)
  const approved = choices.flatMap(({ group, attempt }) => group.filter((code) => isApproved(code, attempt, rules)))
  return approved.length === codes.length ? choices : selectApprovedGroups(approved, attempts, rules)
}

/** Composes the tree that takes each group from its own attempt. */
export function composeSelections(choices: readonly GroupChoice[]): Composition {
  const codesBySnapshot = new Map<string, string[]>()
  for (const { group, attempt } of choices) {
    for (const { snapshot, codes } of attempt.selections) {
      const own = codes.filter((code) => group.includes(code))
      if (own.length > 0) codesBySnapshot.set(snapshot, [...(codesBySnapshot.get(snapshot) ?? []), ...own])
    }
  }
  return {
    selections: [...codesBySnapshot].map(([snapshot, codes]) => ({ snapshot, codes: codes.sort() })),
    owners: choices.flatMap(({ group, attempt }) =>
      attempt.owners.filter((set) => set.every((code) => group.includes(code))),
    ),
  }
}

/** Whether both describe the same tree: the same issues from the same snapshots. */
export function isSameSelection(a: readonly Selection[], b: readonly Selection[]): boolean {
  return serializeSelections(a) === serializeSelections(b)
}

/** Equal for the same issues from the same snapshots. */
export function serializeSelections(selections: readonly Selection[]): string {
  return selections
    .flatMap(({ snapshot, codes }) => codes.map((code) => `${code} ${snapshot}`))
    .sort()
    .join('\n')
}

/** The attempt to commit: of those that passed every gate the one with the most issues, then the best scores, then the latest. */
export function chooseAttemptToCommit(attempts: readonly Attempt[], rules: StageRules): Attempt | undefined {
  const passing = attempts.filter((attempt) => passesEveryGate(attempt, rules))
  return findBestAttempt(passing, (attempt) => {
    const codes = listSelectedCodes(attempt)
    const scores = listScores(codes, attempt)
    return [codes.length, Math.min(...scores), mean(scores)]
  })
}
