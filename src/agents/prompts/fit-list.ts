// A list whose entries don't all fit: each is said as fully as its share of the room allows, in the first of several ways that does, and in the
// last where none does. No entry is left out. What short ones leave free is for the long ones.
import { shorten } from './shorten.ts'

/** One way of saying an entry, in about so much room; undefined where it is none for so little. */
export type FitLevel<Entry> = (entry: Entry, room: number) => object | undefined

export interface FittedList {
  readonly shown: readonly object[]
  /** How many ways were passed over, entry by entry. */
  readonly levels: readonly number[]
}

export function fitList<Entry extends object>(
  entries: readonly Entry[],
  limit: number,
  ways: readonly FitLevel<Entry>[],
): FittedList {
  const shares = divideLimit(entries.map(measureEntry), limit)
  const fitted = entries.map((entry, index) => fitEntry(entry, shares[index] ?? 0, ways))
  return { shown: fitted.map(({ shown }) => shown), levels: fitted.map(({ level }) => level) }
}

function fitEntry<Entry extends object>(entry: Entry, room: number, ways: readonly FitLevel<Entry>[]) {
  if (measureEntry(entry) <= room) return { shown: entry, level: 0 }
  let shown: object = entry
  for (const [index, way] of ways.entries()) {
    const made = way(entry, room)
    if (!made) continue
    shown = made
    if (measureEntry(made) <= room) return { shown, level: index + 1 }
  }
  return { shown, level: ways.length }
}

/** As it stands among the others. */
export function measureEntry(entry: object): number {
  return JSON.stringify([entry], null, 1).length
}

/** The beginning of a text, in so many characters of JSON. */
export function cutJsonText(text: string, most: number): string {
  const short = shorten(text, Math.max(most, 0)).text
  const over = JSON.stringify(short).length - 2 - most
  return over > 0 ? shorten(short, Math.max(short.length - over, 0)).text : short
}

/** What each gets of a limit. */
export function divideLimit(lengths: readonly number[], limit: number): number[] {
  const shares: number[] = []
  let [left, count] = [limit, lengths.length]
  const inOrder = lengths.map((length, index) => ({ length, index })).sort((one, other) => one.length - other.length)
  for (const { length, index } of inOrder) {
    const share = Math.min(length, Math.floor(left / count))
    shares[index] = share
    left -= share
    count -= 1
  }
  return shares
}
