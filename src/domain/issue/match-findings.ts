// Finds out which findings of a report are issues that are known already. Both sides are multisets: a report may hold the same finding
// several times. What can't be told apart is new, so no issue passes its status on to a finding that is another one.

import type { MatchReason } from '../import/import-record.ts'

/** A finding or an issue of one repository, one tool and one category of reports. */
export interface Matchable {
  readonly rule: string
  readonly file: string
  readonly line?: number | undefined
  /** Of tool, rule, file and code. */
  readonly fingerprint: string
  /** Of the code alone. */
  readonly codeHash: string
  /** The tool's own identity of the finding. */
  readonly toolId?: string | undefined
  /** Of findings that are alike, one that is left is recognised before one that is done. */
  readonly isDone?: boolean | undefined
}

export interface Match<Known, Found> {
  readonly known: Known
  readonly found: Found
  readonly reason: MatchReason
}

export interface Matching<Known, Found> {
  readonly matches: readonly Match<Known, Found>[]
  readonly added: readonly Found[]
  readonly gone: readonly Known[]
}

/** Changed code is looked for so many lines around; further away, it is rather another finding of the same rule. */
const MAX_LINES = 20
/** So many changed findings of one rule in one file can't be told apart by their lines. */
const MAX_PAIRS = 250_000

export function matchFindings<Known extends Matchable, Found extends Matchable>(
  knownIssues: readonly Known[],
  findings: readonly Found[],
): Matching<Known, Found> {
  const open = { known: new Set(knownIssues), found: new Set(findings) }
  const matches: Match<Known, Found>[] = []
  const match = (known: Known, found: Found, reason: MatchReason): void => {
    open.known.delete(known)
    open.found.delete(found)
    matches.push({ known, found, reason })
  }
  const groupsBy = (toKey: (each: Matchable) => string | undefined) =>
    listGroups([...open.known], [...open.found], toKey)

  for (const { known, found } of groupsBy(({ rule, toolId }) => toolId && JSON.stringify([rule, toolId]))) {
    matchOnlyPair(known, found, (one, other) => match(one, other, 'tool_id'))
  }
  for (const { known, found } of groupsBy(({ fingerprint }) => fingerprint)) {
    // All of a group are alike, so their order is as good as any.
    const sorted = found.toSorted(compareLines)
    for (const [index, one] of known.toSorted(compareKnown).entries()) {
      const other = sorted[index]
      if (other) match(one, other, 'fingerprint')
    }
  }
  for (const { known, found } of groupsBy(({ rule, file }) => JSON.stringify([rule, file]))) {
    for (const [one, other] of listNearestPairs(known, found)) match(one, other, 'nearest_line')
  }
  for (const { known, found } of groupsBy(({ rule, codeHash }) => JSON.stringify([rule, codeHash]))) {
    matchOnlyPair(known, found, (one, other) => match(one, other, 'moved_file'))
  }
  return { matches, added: [...open.found], gone: [...open.known] }
}

interface Group<Known, Found> {
  readonly known: readonly Known[]
  readonly found: readonly Found[]
}

function listGroups<Known extends Matchable, Found extends Matchable>(
  knownIssues: readonly Known[],
  findings: readonly Found[],
  toKey: (each: Matchable) => string | undefined,
): Group<Known, Found>[] {
  const found = Map.groupBy(findings, toKey)
  const known = [...Map.groupBy(knownIssues, toKey)].filter(([key]) => key !== undefined)
  return known.map(([key, each]) => ({ known: each, found: found.get(key) ?? [] }))
}

function matchOnlyPair<Known, Found>(
  [one, ...others]: readonly Known[],
  [other, ...more]: readonly Found[],
  match: (known: Known, found: Found) => void,
): void {
  if (one !== undefined && other !== undefined && others.length === 0 && more.length === 0) match(one, other)
}

/** The closest pairs come first. Where one is as close to two, it belongs to neither, and nothing farther away gets it. */
function listNearestPairs<Known extends Matchable, Found extends Matchable>(
  known: readonly Known[],
  found: readonly Found[],
): (readonly [Known, Found])[] {
  if (known.length * found.length > MAX_PAIRS) return []
  const candidates = known
    .flatMap((one) => found.map((other) => ({ one, other, distance: measureDistance(one, other) })))
    .filter(({ distance }) => distance <= MAX_LINES)
  const pairs: (readonly [Known, Found])[] = []
  const used = new Set<Matchable>()
  const byDistance = Map.groupBy(candidates, ({ distance }) => distance)
  for (const distance of [...byDistance.keys()].sort((a, b) => a - b)) {
    const free = (byDistance.get(distance) ?? []).filter(({ one, other }) => !used.has(one) && !used.has(other))
    const [byKnown, byFound] = [Map.groupBy(free, ({ one }) => one), Map.groupBy(free, ({ other }) => other)]
    for (const { one, other } of free) {
      if (byKnown.get(one)?.length === 1 && byFound.get(other)?.length === 1) pairs.push([one, other])
      used.add(one).add(other)
    }
  }
  return pairs
}

/** A finding without a line is about its file, and has no distance to one with a line. */
function measureDistance(one: Matchable, other: Matchable): number {
  if (one.line === undefined || other.line === undefined) return one.line === other.line ? 0 : Number.POSITIVE_INFINITY
  return Math.abs(one.line - other.line)
}

function compareKnown(one: Matchable, other: Matchable): number {
  return Number(one.isDone ?? false) - Number(other.isDone ?? false) || compareLines(one, other)
}

function compareLines(one: Matchable, other: Matchable): number {
  return (one.line ?? 0) - (other.line ?? 0)
}
