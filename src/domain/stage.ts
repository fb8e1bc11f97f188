// The decision about a stage: who goes round again, from which tree, and what is kept in the end.
// A score belongs to a tree, so only an attempt (a tree with its verdicts) is ever judged here. Issues that share a
// changed file in any attempt form a knot: judged, kept and restored as one.
export interface StageRules {
  readonly maxIterations: number
  readonly solvedThreshold: number
  readonly satisfactionThreshold: number
  readonly challenge: boolean
  readonly verify: boolean
  readonly wholeDiffScore: boolean
}

/** A tree, told as what it takes from which snapshot; everything else is as the stage found it. */
export interface Pick {
  readonly snapshot: string
  readonly codes: readonly string[]
}

export interface IssueVerdict {
  /** How many changed files of the tree are this issue's own. */
  readonly files: number
  readonly score?: number | undefined
  readonly blockers: number
}

export interface Attempt {
  readonly picks: readonly Pick[]
  readonly tree: string
  /** Which issues share changed files in this tree: one list for each set of owners. */
  readonly owners: readonly (readonly string[])[]
  /** Issues whose knot left the allowed scope. */
  readonly outOfScope: readonly string[]
  readonly verification: 'passed' | 'failed' | 'unverified'
  readonly issues: Readonly<Record<string, IssueVerdict>>
  readonly whole?: number | undefined
  /** Stands for what the challenger said, so that the same words twice can be noticed. */
  readonly feedback?: string | undefined
}

export type Knot = readonly string[]

/** Issues that share a changed file in any attempt, transitively. */
export function knotsOf(codes: readonly string[], attempts: readonly Attempt[]): Knot[] {
  const leader = new Map(codes.map((code) => [code, code]))
  const find = (code: string): string => {
    const up = leader.get(code) ?? code
    return up === code ? code : find(up)
  }
  for (const set of attempts.flatMap((attempt) => attempt.owners)) {
    const [first, ...others] = set.filter((code) => leader.has(code))
    if (first === undefined) continue
    for (const other of others) leader.set(find(other), find(first))
  }
  const knots = new Map<string, string[]>()
  for (const code of codes) {
    const root = find(code)
    knots.set(root, [...(knots.get(root) ?? []), code])
  }
  return [...knots.values()]
}

export function isSolved(code: string, attempt: Attempt, rules: StageRules): boolean {
  const verdict = attempt.issues[code]
  if (!verdict || verdict.files === 0 || attempt.outOfScope.includes(code) || attempt.verification === 'failed')
    return false
  if (!rules.challenge) return attempt.verification === 'passed'
  return verdict.blockers === 0 && verdict.score !== undefined && verdict.score >= rules.solvedThreshold
}

/** Whether a tree is good enough to be committed without another round. */
export function isAccepted(codes: readonly string[], attempt: Attempt, rules: StageRules): boolean {
  if (!codes.every((code) => isSolved(code, attempt, rules)) || !wholeDiffPasses(attempt, rules)) return false
  return !rules.challenge || mean(scoresOf(codes, attempt)) >= rules.satisfactionThreshold
}

export function wholeDiffPasses(attempt: Attempt, rules: StageRules): boolean {
  return !rules.challenge || !rules.wholeDiffScore || (attempt.whole ?? -1) >= rules.satisfactionThreshold
}

/** Scope, verification, blockers, how many are solved, the lowest score, the mean: whichever differs first decides. */
function ranks(knot: Knot, attempt: Attempt, rules: StageRules): number[] {
  const verdicts = knot.map((code) => attempt.issues[code])
  const scores = verdicts.map((verdict) => (verdict && verdict.files > 0 ? (verdict.score ?? -1) : -1))
  return [
    knot.some((code) => attempt.outOfScope.includes(code)) ? 0 : 1,
    attempt.verification === 'failed' ? 0 : 1,
    verdicts.some((verdict) => (verdict?.blockers ?? 0) > 0) ? 0 : 1,
    knot.filter((code) => isSolved(code, attempt, rules)).length,
    Math.min(...scores),
    mean(scores),
  ]
}

/** The later attempt wins only where it is at least as good: a worse one never replaces a better one. */
export function bestAttempt(knot: Knot, attempts: readonly Attempt[], rules: StageRules): Attempt | undefined {
  let best: { attempt: Attempt; ranks: number[] } | undefined
  for (const attempt of attempts) {
    const own = ranks(knot, attempt, rules)
    if (!best || compareRanks(own, best.ranks) >= 0) best = { attempt, ranks: own }
  }
  return best?.attempt
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

export interface KnotChoice {
  readonly knot: Knot
  readonly attempt: Attempt
  readonly solved: readonly string[]
}

export function chooseBest(codes: readonly string[], attempts: readonly Attempt[], rules: StageRules): KnotChoice[] {
  return knotsOf(codes, attempts).flatMap((knot) => {
    const attempt = bestAttempt(knot, attempts, rules)
    return attempt ? [{ knot, attempt, solved: knot.filter((code) => isSolved(code, attempt, rules)) }] : []
  })
}

export function isWholeKnotSolved(choice: KnotChoice): boolean {
  return choice.solved.length === choice.knot.length
}

/** The tree that takes each knot from its own attempt. */
export function picksOf(choices: readonly KnotChoice[]): Pick[] {
  const picks = new Map<string, string[]>()
  for (const { knot, attempt } of choices) {
    for (const code of knot) {
      const pick = attempt.picks.find((each) => each.codes.includes(code))
      if (pick) picks.set(pick.snapshot, [...(picks.get(pick.snapshot) ?? []), code])
    }
  }
  return [...picks].map(([snapshot, codes]) => ({ snapshot, codes: codes.sort() }))
}

/** Whether both say the same tree: the same issues out of the same snapshots. */
export function samePicks(a: readonly Pick[], b: readonly Pick[]): boolean {
  const text = (picks: readonly Pick[]): string =>
    picks
      .filter((pick) => pick.codes.length > 0)
      .map((pick) => `${pick.snapshot}:${[...pick.codes].sort().join(',')}`)
      .sort()
      .join(';')
  return text(a) === text(b)
}

export type Round =
  | { readonly kind: 'accepted'; readonly attempt: Attempt }
  | { readonly kind: 'again'; readonly codes: readonly string[]; readonly start: readonly Pick[] }
  | { readonly kind: 'over'; readonly why: 'iterations' | 'stalled' | 'nothing left to try' }

/** What follows after an attempt: `codes` are the issues that are still worth trying. */
export function nextRound(
  codes: readonly string[],
  attempts: readonly Attempt[],
  iterationsUsed: number,
  rules: StageRules,
): Round {
  const latest = attempts.at(-1)
  if (latest && codes.length > 0 && isAccepted(codes, latest, rules)) return { kind: 'accepted', attempt: latest }
  if (codes.length === 0) return { kind: 'over', why: 'nothing left to try' }
  if (iterationsUsed >= rules.maxIterations) return { kind: 'over', why: 'iterations' }
  if (hasStalled(codes, attempts, rules)) return { kind: 'over', why: 'stalled' }
  const choices = chooseBest(codes, attempts, rules)
  return { kind: 'again', codes: goRoundAgain(codes, choices, rules), start: picksOf(choices) }
}

function goRoundAgain(codes: readonly string[], choices: readonly KnotChoice[], rules: StageRules): readonly string[] {
  const everything = choices.some(
    ({ attempt }) => attempt.verification === 'failed' || !wholeDiffPasses(attempt, rules),
  )
  if (everything || choices.length === 0) return codes
  const belowFloor = codes.filter((code) => !choices.some((choice) => choice.solved.includes(code)))
  if (belowFloor.length > 0) return belowFloor
  const score = (code: string): number =>
    choices.find(({ knot }) => knot.includes(code))?.attempt.issues[code]?.score ?? 0
  const belowSatisfaction = codes.filter((code) => score(code) < rules.satisfactionThreshold)
  return belowSatisfaction.length > 0 ? belowSatisfaction : codes
}

/** The same tree or the same words as before, and nobody's score went up: another round would only cost. */
function hasStalled(codes: readonly string[], attempts: readonly Attempt[], rules: StageRules): boolean {
  const latest = attempts.at(-1)
  if (!latest || !Object.values(latest.issues).some((verdict) => verdict.files > 0)) return false
  const earlier = attempts.slice(0, -1)
  const repeats = earlier.some(
    (attempt) =>
      attempt.tree === latest.tree || (latest.feedback !== undefined && attempt.feedback === latest.feedback),
  )
  return (
    repeats && !earlier.every((attempt) => compareRanks(ranks(codes, latest, rules), ranks(codes, attempt, rules)) > 0)
  )
}

export function scoresOf(codes: readonly string[], attempt: Attempt): number[] {
  return codes.flatMap((code) => attempt.issues[code]?.score ?? [])
}

export function mean(scores: readonly number[]): number {
  return scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length
}
