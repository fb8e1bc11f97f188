// Says which issue each changed place of a shared file belongs to: by the lines that the fixer claims, by where the finding points, by the
// names that only one of them speaks of. A wrong guess costs a run of the checks: every composed tree goes through the gates as itself.
import { diffLines, doOverlap, isSameReplacement, type LineHunk } from '../text/line-hunks.ts'
import type { LineRange } from './claimed-paths.ts'
import type { FilePart } from './file-parts.ts'
import { splitInsertion } from './split-insertion.ts'

interface Speaker {
  readonly code: string
  /** The finding's text and the fixer's summary. */
  readonly text: string
}

export interface PartClaimant extends Speaker {
  /** Where the finding points in this file; lines of the base. */
  readonly found?: LineRange | undefined
  /** What the fixer claims of this file; lines of the new text. */
  readonly claimed: readonly LineRange[]
  /** It owns another changed file, so it may have nothing here. */
  readonly ownsMore: boolean
}

export interface SharedFile {
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** The parts that were there before this call. */
  readonly carried: readonly FilePart[]
}

/** Undefined if the file can't be separated: a place is nobody's, or an issue that owns nothing else is left without one. */
export function assignParts(
  { before, after, carried }: SharedFile,
  claimants: readonly PartClaimant[],
): readonly FilePart[] | undefined {
  const claimed = claimants.flatMap((claimant) => claimant.claimed)
  const hunks = diffLines(before, after).flatMap((hunk) => {
    return splitInsertion(hunk, after.slice(hunk.newStart, hunk.newStart + hunk.newCount), { carried, claimed })
  })
  const places = hunks.map((hunk): Place => {
    const lines = after.slice(hunk.newStart, hunk.newStart + hunk.newCount)
    const old = before.slice(hunk.start, hunk.start + hunk.count)
    return { ...hunk, lines, text: [findHeader(before, hunk.start), ...old, ...lines].join('') }
  })
  const rareWords = findRareWords(claimants)
  const changed = carried.filter((part) => !places.some((place) => isSameReplacement(part, place)))
  const parts = places.map((place) => {
    const same = carried.find((part) => isSameReplacement(part, place))
    if (same) return { place, codes: same.codes }
    const below = changed.flatMap(({ codes, ...part }) => {
      if (doOverlap(part, place)) return codes
      // Insertions at one place stand side by side, unless this call changed another issue's.
      const isBeside = part.start === place.start && part.count + place.count === 0
      return isBeside ? codes.filter((code) => !claimants.some((claimant) => claimant.code === code)) : []
    })
    return { place, codes: [...new Set([...below, ...locate(place, claimants, rareWords)])] }
  })
  for (const claimant of claimants) {
    if (claimant.ownsMore || parts.some(({ codes }) => codes.includes(claimant.code))) continue
    const nearest = findNearest(parts, claimant)
    if (!nearest) return undefined
    nearest.codes = [...nearest.codes, claimant.code]
  }
  const assigned = parts.map(({ place: { start, count, lines }, codes }) => ({
    codes: codes.toSorted(),
    start,
    count,
    lines,
  }))
  if (assigned.some(({ codes }) => codes.length === 0)) return undefined
  return joinInsertions(assigned)
}

/** Pieces of one insertion with the same owners are one part. */
function joinInsertions(parts: readonly FilePart[]): FilePart[] {
  const joined: FilePart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    const isSame = last?.start === part.start && last.count === 0 && last.codes.join('\n') === part.codes.join('\n')
    if (last && isSame && part.count === 0) joined.splice(-1, 1, { ...last, lines: [...last.lines, ...part.lines] })
    else joined.push(part)
  }
  return joined
}

interface Place extends LineHunk {
  readonly lines: readonly string[]
  /** The line that it is nested in, the old lines and the new. */
  readonly text: string
}

function locate(
  place: Place,
  claimants: readonly PartClaimant[],
  rareWords: ReadonlyMap<string, string>,
): readonly string[] {
  const claiming = claimants.filter(({ claimed }) => claimed.some((range) => isWithin(place, range)))
  if (claiming.length > 0) return claiming.map(({ code }) => code)
  const near = listNearest(place, claimants)
  if (near.length === 1 && near[0]!.distance <= BESIDE) return [near[0]!.code]
  const plausible = near.length > 0 ? near : claimants
  return findByName(place, rareWords) ?? plausible.map(({ code }) => code)
}

function isWithin({ newStart, newCount }: Place, { first, last }: LineRange): boolean {
  // Where lines were only removed, the claim may name the line before or behind.
  return newCount === 0 ? first - 1 <= newStart && newStart <= last : first <= newStart + newCount && newStart < last
}

/** So near to a finding, a place needs no other sign that it is meant. */
const BESIDE = 5
/** A finding further away says nothing about a place. */
const MAX_DISTANCE = 40

/** The issues whose findings point there, or not clearly further away than the nearest one. */
function listNearest(
  place: Place,
  claimants: readonly PartClaimant[],
): readonly { readonly code: string; readonly distance: number }[] {
  const near = claimants.flatMap(({ code, found }) => {
    const distance = found ? measureDistance(place, found) : Number.POSITIVE_INFINITY
    return distance <= MAX_DISTANCE ? [{ code, distance }] : []
  })
  const least = Math.min(...near.map(({ distance }) => distance))
  return near.filter(({ distance }) => distance <= 2 * least)
}

function measureDistance({ start, count }: LineHunk, { first, last }: LineRange): number {
  const end = start + Math.max(count, 1) - 1
  return Math.max(first - 1 - end, start - (last - 1), 0)
}

function findNearest<Part extends { readonly place: Place }>(
  parts: readonly Part[],
  { found }: PartClaimant,
): Part | undefined {
  if (!found) return undefined
  const byDistance = parts.toSorted((a, b) => measureDistance(a.place, found) - measureDistance(b.place, found))
  return byDistance[0]
}

/** The first line above that is less indented: a function's, as a rule. */
function findHeader(lines: readonly string[], start: number): string {
  const indent = (line = '') => line.search(/\S/)
  const own = indent(lines[start])
  return lines.slice(0, start).findLast((line) => indent(line) >= 0 && indent(line) < own) ?? ''
}

/** The issue that alone speaks of the most names in a text. */
export function findSpeaker(text: string, claimants: readonly Speaker[]): string | undefined {
  return findByName({ text }, findRareWords(claimants))?.[0]
}

/** Word → the one issue that speaks of it. */
function findRareWords(claimants: readonly Speaker[]): ReadonlyMap<string, string> {
  const speakers = new Map<string, Set<string>>()
  for (const { code, text } of claimants) {
    for (const word of listWords(text)) speakers.set(word, (speakers.get(word) ?? new Set()).add(code))
  }
  return new Map(
    [...speakers].flatMap(
      ([word, codes]) => (codes.size === 1 ? [...codes].map((code) => [word, code]) : []) as [string, string][],
    ),
  )
}

/** The issue that speaks of the most names of a place. */
function findByName(
  { text }: Pick<Place, 'text'>,
  rareWords: ReadonlyMap<string, string>,
): readonly string[] | undefined {
  const counts = new Map<string, number>()
  for (const word of listWords(text)) {
    const code = rareWords.get(word)
    if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const [most, next] = [...counts].sort(([, a], [, b]) => b - a)
  return most && most[1] > (next?.[1] ?? 0) ? [most[0]] : undefined
}

function listWords(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_]\w{3,}/g) ?? [])
}
