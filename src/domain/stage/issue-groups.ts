// Issues that share a changed file in any attempt of a stage form a knot: judged, kept and restored as one (an issue alone is
// a knot of one). Each knot has its own best attempt, and trees are put together from those.
// Gap: what is known is who shares a file, not which; two issues that change one file in different attempts, and never in one
// tree, are no knot. What is put together from them is still judged as the tree it then is.
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

/** Joins the issues of each set of owners, transitively. Whoever is not among the codes joins nobody. */
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

/** Each knot of these issues with its best attempt; a knot that no attempt is about is left out. */
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

/** It changed something for the knot, and no file of the knot belongs to an outsider, too: that file could not be taken over. */
function isAttemptAbout(group: IssueGroup, attempt: Attempt, codes: readonly string[]): boolean {
  const inTree = listSelectedCodes(attempt)
  if (!group.some((code) => inTree.includes(code))) return false
  return !attempt.owners.some(
    (set) => set.some((code) => group.includes(code)) && set.some((code) => !codes.includes(code)),
  )
}

/** Verification, blockers, how many are approved, the lowest score, the mean: whichever differs first decides. */
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

/** Whether an attempt is, for these issues together, better than another. */
export function isBetter(a: Attempt, b: Attempt, codes: IssueGroup, rules: StageRules): boolean {
  return compareRanks(rankAttempt(codes, a, rules), rankAttempt(codes, b, rules)) > 0
}

/** The later one wins only where it is at least as good: a worse one never replaces a better one. */
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

/** Knots in which every issue is approved. Where one is not, it goes, and its mates are chosen again without it. */
export function selectApprovedGroups(
  codes: readonly string[],
  attempts: readonly Attempt[],
  rules: StageRules,
): GroupChoice[] {
  const choices = chooseBestAttempts(codes, attempts, rules)
  const approved = choices.flatMap(({ group, attempt }) => group.filter((code) => isApproved(code, attempt, rules)))
  return approved.length === codes.length ? choices : selectApprovedGroups(approved, attempts, rules)
}

/** The tree that takes each knot from its own attempt. */
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

/** Whether both say the same tree: the same issues out of the same snapshots. */
export function isSameSelection(a: readonly Selection[], b: readonly Selection[]): boolean {
  return serializeSelections(a) === serializeSelections(b)
}

function serializeSelections(selections: readonly Selection[]): string {
  return selections
    .flatMap(({ snapshot, codes }) => codes.map((code) => `${code} ${snapshot}`))
    .sort()
    .join('\n')
}

/** What is committed: of the trees that passed every gate the one with the most issues, the best scores, the latest. */
export function chooseAttemptToCommit(attempts: readonly Attempt[], rules: StageRules): Attempt | undefined {
  const passing = attempts.filter((attempt) => passesEveryGate(attempt, rules))
  return findBestAttempt(passing, (attempt) => {
    const codes = listSelectedCodes(attempt)
    const scores = listScores(codes, attempt)
    return [codes.length, Math.min(...scores), mean(scores)]
  })
}
