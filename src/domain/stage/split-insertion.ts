// Cuts inserted lines where one issue's may end and the next one's begin: new tests, and the lines of a changelog, mostly go to one place.
import type { LineHunk, Replacement } from '../text/line-hunks.ts'
import type { LineRange } from './claimed-paths.ts'

export interface InsertionCuts {
  /** The lines that were inserted at the same place before. */
  readonly carried: readonly Replacement[]
  /** Ranges of the new text that fixers claim. */
  readonly claimed: readonly LineRange[]
}

/** The pieces of an insertion, in order. Where lines were replaced, the first piece does, and what fixers claim behind it is inserted. */
export function splitInsertion(hunk: LineHunk, lines: readonly string[], cuts: InsertionCuts): LineHunk[] {
  const claimed = listClaimedCuts(hunk, cuts)
  const places = new Set(
    hunk.count > 0 ? claimed : [...listCarriedCuts(hunk, lines, cuts), ...claimed, ...listBlockCuts(lines)],
  )
  // Blank lines alone are no piece.
  const inside = [...places]
    .filter((at) => at > 0 && lines.slice(at).some((line) => line.trim() !== ''))
    .sort((a, b) => a - b)
    .filter((at, index, all) => lines.slice(all[index - 1] ?? 0, at).some((line) => line.trim() !== ''))
  return [0, ...inside].map((from, index, all) => ({
    start: index === 0 ? hunk.start : hunk.start + hunk.count,
    count: index === 0 ? hunk.count : 0,
    newStart: hunk.newStart + from,
    newCount: (all[index + 1] ?? lines.length) - from,
  }))
}

function listCarriedCuts({ start }: LineHunk, lines: readonly string[], { carried }: InsertionCuts): number[] {
  return carried.flatMap((part) => {
    if (part.start !== start || part.count > 0) return []
    const at = lines.findIndex((_, index) => part.lines.every((line, offset) => lines[index + offset] === line))
    return at < 0 ? [] : [at, at + part.lines.length]
  })
}

/** Between claims only: at the outer edges, a claim may be a line or two beside what a comparison takes for new. */
function listClaimedCuts({ newStart, newCount }: LineHunk, { claimed }: InsertionCuts): number[] {
  const inside = claimed.filter(({ first, last }) => first <= newStart + newCount && newStart < last)
  const firsts = inside.map(({ first }) => first - 1 - newStart)
  const lasts = inside.map(({ last }) => last - newStart)
  return [...firsts.filter((at) => at > Math.min(...firsts)), ...lasts.filter((at) => at < Math.max(...lasts))]
}

const LIST_ITEM = /^\s*(?:[-*+•]|\d+[.)])\s/

/** Where a block begins that is not nested in the one before: behind a blank line, or at an item of a list. */
function listBlockCuts(lines: readonly string[]): number[] {
  const indents = lines.map((line) => line.search(/\S/))
  const least = Math.min(...indents.filter((indent) => indent >= 0))
  return lines.flatMap((line, at) => {
    if (indents[at] !== least) return []
    if (LIST_ITEM.test(line)) return [at]
    // Blank lines go with what they precede.
    const behind = lines.slice(0, at).findLastIndex((_, index) => (indents[index] ?? -1) >= 0)
    return behind < at - 1 ? [behind + 1] : []
  })
}
