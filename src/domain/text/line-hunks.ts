// Compares two texts line by line (patience, and Myers 1986 between its anchors), and puts changes of one text together: hunks are about ranges of the same old lines, so
// those that do not overlap may be chosen one by one.

export interface LineHunk {
  /** The first old line, from 0, and how many of them are replaced; 0 for an insertion before it. */
  readonly start: number
  readonly count: number
  /** Where the new lines stand in the new text. */
  readonly newStart: number
  readonly newCount: number
}

export interface Replacement {
  readonly start: number
  readonly count: number
  /** Each with its line break. */
  readonly lines: readonly string[]
}

/** With their line breaks; the last line may have none. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** The changed ranges, in order. Texts that differ too much to be worth comparing are one hunk. */
export function diffLines(before: readonly string[], after: readonly string[]): LineHunk[] {
  const hunks = diffTrimmed(before, after)
  return hunks.map((hunk, index) => slideInsertion(after, hunk, { above: hunks[index - 1], below: hunks[index + 1] }))
}

/** An insertion of which any of several runs of equal lines may be the new one begins where a block does: behind a blank line, or with one. */
function slideInsertion(
  after: readonly string[],
  hunk: LineHunk,
  { above, below }: { readonly above: LineHunk | undefined; readonly below: LineHunk | undefined },
): LineHunk {
  if (hunk.count > 0) return hunk
  const [least, most] = [above ? above.newStart + above.newCount + 1 : 0, below ? below.newStart - 1 : after.length]
  const isBlank = (at: number) => (after[at] ?? '').trim() === ''
  const starts = [hunk.newStart]
  for (let at = hunk.newStart; at > least && after[at - 1] === after[at - 1 + hunk.newCount]; at -= 1)
    starts.push(at - 1)
  for (let at = hunk.newStart; at + hunk.newCount < most && after[at] === after[at + hunk.newCount]; at += 1)
    starts.push(at + 1)
  const best = starts.find((at) => isBlank(at - 1) && !isBlank(at)) ?? starts.find(isBlank) ?? hunk.newStart
  return { ...hunk, newStart: best, start: hunk.start + best - hunk.newStart }
}

function diffTrimmed(before: readonly string[], after: readonly string[]): LineHunk[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  if (old.length === 0 && now.length === 0) return []
  return diffBetweenAnchors(old, now).map((hunk) => ({
    ...hunk,
    start: hunk.start + head,
    newStart: hunk.newStart + head,
  }))
}

function diffBetweenAnchors(old: readonly string[], now: readonly string[]): LineHunk[] {
  const anchors = findAnchors(old, now)
  if (anchors.length === 0) {
    const edits = findEdits(old, now)
    return edits ? joinEdits(edits) : [{ start: 0, count: old.length, newStart: 0, newCount: now.length }]
  }
  return [...anchors, { old: old.length, now: now.length }].flatMap((anchor, index) => {
    const from = anchors[index - 1] ?? { old: -1, now: -1 }
    const hunks = diffTrimmed(old.slice(from.old + 1, anchor.old), now.slice(from.now + 1, anchor.now))
    return hunks.map((hunk) => {
      return { ...hunk, start: hunk.start + from.old + 1, newStart: hunk.newStart + from.now + 1 }
    })
  })
}

interface Anchor {
  readonly old: number
  readonly now: number
}

/** Lines that both texts hold once, in the same order: a function keeps its own name, however much its neighbours look like it. */
function findAnchors(old: readonly string[], now: readonly string[]): Anchor[] {
  const [oldAt, nowAt] = [findUniqueLines(old), findUniqueLines(now)]
  const anchors: Anchor[] = []
  /** The row that ends first, by length; each knows the one before it. */
  const ends: { readonly anchor: Anchor; readonly before: number }[] = []
  const rows: number[] = []
  for (const [line, at] of oldAt) {
    const there = nowAt.get(line)
    if (there === undefined) continue
    const length = rows.findIndex((row) => (ends[row]?.anchor.now ?? 0) > there)
    const place = length < 0 ? rows.length : length
    rows[place] = ends.push({ anchor: { old: at, now: there }, before: rows[place - 1] ?? -1 }) - 1
  }
  for (let row = rows.at(-1) ?? -1; row >= 0; row = ends[row]?.before ?? -1) {
    const end = ends[row]
    if (end) anchors.unshift(end.anchor)
  }
  return anchors
}

/** Line → index, in order; without those that come twice. */
function findUniqueLines(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return new Map(lines.flatMap((line, at) => (counts.get(line) === 1 ? [[line, at] as const] : [])))
}

/** The text with these ranges replaced, which must not overlap. */
export function applyReplacements(before: readonly string[], replacements: readonly Replacement[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, count, lines } of sortReplacements(replacements)) {
    parts.push(...before.slice(at, start), ...lines)
    at = start + count
  }
  return [...parts, ...before.slice(at)].join('')
}

export function sortReplacements<Some extends Replacement>(some: readonly Some[]): Some[] {
  return some.toSorted((a, b) => a.start - b.start || a.count - b.count)
}

/** Two insertions at one place don't: both may stand there. */
export function doOverlap(a: Replacement, b: Replacement): boolean {
  if (a.start === b.start) return Math.min(a.count, b.count) > 0
  const [first, second] = a.start < b.start ? [a, b] : [b, a]
  return second.start < first.start + first.count
}

export function isSameReplacement(a: Replacement, b: Replacement): boolean {
  return a.start === b.start && a.count === b.count && a.lines.join('') === b.lines.join('')
}

/** Above it, the changes of a file are not worth telling apart. */
const MAX_EDITS = 1000

interface Edit {
  readonly old: number
  readonly now: number
  readonly removes: boolean
}

/** The fewest removed and added lines, in order; undefined if there are too many. */
function findEdits(old: readonly string[], now: readonly string[]): Edit[] | undefined {
  const furthest = new Map<number, number>([[1, 0]])
  const trace: Map<number, number>[] = []
  for (let depth = 0; depth <= Math.min(old.length + now.length, MAX_EDITS); depth += 1) {
    trace.push(new Map(furthest))
    for (let diagonal = -depth; diagonal <= depth; diagonal += 2) {
      let x = stepsDown(furthest, diagonal, depth)
        ? (furthest.get(diagonal + 1) ?? 0)
        : (furthest.get(diagonal - 1) ?? 0) + 1
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1
      furthest.set(diagonal, x)
      if (x >= old.length && x - diagonal >= now.length) return walkBack(trace, old.length, now.length)
    }
  }
  return undefined
}

function stepsDown(furthest: ReadonlyMap<number, number>, diagonal: number, depth: number): boolean {
  if (diagonal === -depth) return true
  return diagonal !== depth && (furthest.get(diagonal - 1) ?? 0) < (furthest.get(diagonal + 1) ?? 0)
}

function walkBack(trace: readonly ReadonlyMap<number, number>[], oldLength: number, newLength: number): Edit[] {
  const edits: Edit[] = []
  let [x, y] = [oldLength, newLength]
  for (let depth = trace.length - 1; depth > 0; depth -= 1) {
    const furthest = trace[depth] ?? new Map<number, number>()
    const diagonal = x - y
    const before = stepsDown(furthest, diagonal, depth) ? diagonal + 1 : diagonal - 1
    const fromX = furthest.get(before) ?? 0
    const fromY = fromX - before
    edits.push({ old: fromX, now: fromY, removes: before < diagonal })
    ;[x, y] = [fromX, fromY]
  }
  return edits.reverse()
}

function joinEdits(edits: readonly Edit[]): LineHunk[] {
  const hunks: LineHunk[] = []
  for (const { old, now, removes } of edits) {
    const last = hunks.at(-1)
    const isNext = last && last.start + last.count === old && last.newStart + last.newCount === now
    const hunk = isNext ? hunks.pop()! : { start: old, count: 0, newStart: now, newCount: 0 }
    hunks.push({ ...hunk, count: hunk.count + Number(removes), newCount: hunk.newCount + Number(!removes) })
  }
  return hunks
}
