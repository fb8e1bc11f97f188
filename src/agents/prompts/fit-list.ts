// Fits a list into a limit: entries are shortened step by step until all fit, and none is left out.
import { jsonBlock, type PromptPart } from './render-prompt.ts'
import { shorten } from './shorten.ts'

/** Shortens an entry to about this many characters; undefined if it can't be that short. */
export type FitLevel<Entry> = (entry: Entry, room: number) => Entry | undefined

export interface FittedList<Entry> {
  readonly shown: readonly Entry[]
  /** The level of each entry: 0 is unshortened. */
  readonly levels: readonly number[]
}

interface FitOptions<Entry> {
  /** Indexes in the order of shortening. Without it, every entry longer than its share of the limit is shortened. */
  readonly order?: readonly number[]
  readonly measure?: (entry: Entry) => number
}

export function fitList<Entry extends object>(
  entries: readonly Entry[],
  limit: number,
  levels: readonly FitLevel<Entry>[],
  { order, measure = measureEntry }: FitOptions<Entry> = {},
): FittedList<Entry> {
  const fitted = entries.map((entry) => ({ shown: entry, level: 0, size: measure(entry) }))
  const sizes = fitted.map(({ size }) => size)
  const shares = order ? [] : divideLimit(sizes, limit)
  let total = sizes.reduce((sum, size) => sum + size, 0)
  for (const [index, describeBriefly] of levels.entries()) {
    for (const at of order ?? entries.keys()) {
      const [entry, now, room = 0] = [entries[at], fitted[at], shares[at]]
      if (!entry || !now || total <= limit || now.size <= room) continue
      const shown = describeBriefly(entry, room)
      const size = shown ? measure(shown) : now.size
      if (!shown || size === now.size) continue
      total += size - now.size
      fitted[at] = { shown, level: index + 1, size }
    }
  }
  return { shown: fitted.map(({ shown }) => shown), levels: fitted.map(({ level }) => level) }
}

interface ListPartOptions<Entry> extends FitOptions<Entry> {
  readonly levels: readonly FitLevel<Entry>[]
  /** Says what was left out; `cut` lists the codes of the entries shortened to a level, or without one to any. */
  readonly describeCuts: (cut: (level?: number) => readonly string[]) => string | undefined
  /** Its place in the order in which parts are shortened. Without one it is shortened no further. */
  readonly rank?: number
  /** The least room for the whole list. */
  readonly least?: number
}

/** A list of entries as a part of a prompt, fitted into the limit. */
export function listPart<Entry extends { readonly issue_code: string }>(
  name: string,
  entries: readonly Entry[],
  limit: number,
  { levels, describeCuts, rank, least = 0, ...options }: ListPartOptions<Entry>,
): PromptPart {
  const fitted = fitList(entries, limit, levels, options)
  const cut = (level?: number) =>
    entries.flatMap(({ issue_code }, at) => {
      const reached = fitted.levels[at]
      return (level === undefined ? reached !== 0 : reached === level) ? [issue_code] : []
    })
  const shrinkTo = (less: number) =>
    listPart(name, entries, Math.max(less, least), { levels, describeCuts, ...options })
  return {
    block: jsonBlock(name, fitted.shown),
    remark: cut().length > 0 ? describeCuts(cut) : undefined,
    shrinker: rank === undefined ? undefined : { rank, shrinkTo },
  }
}

const LIST_SEPARATOR = 2

/** The length of an entry within the list's JSON. */
export function measureEntry(entry: object): number {
  return JSON.stringify(entry).length + LIST_SEPARATOR
}

/** Cuts the entry's free text to the room that its other fields leave; undefined if that is less than `least`. */
export function cutField<Entry extends object>(
  entry: Entry,
  field: keyof Entry & string,
  room: number,
  least: number,
): Entry | undefined {
  const text = String(entry[field] ?? '')
  const left = room - measureEntry({ ...entry, [field]: '' })
  return left < Math.min(text.length, least) ? undefined : { ...entry, [field]: cutJsonText(text, left) }
}

/** Cuts a text to this many characters of JSON. */
export function cutJsonText(text: string, most: number): string {
  const short = shorten(text, Math.max(most, 0)).text
  const over = JSON.stringify(short).length - 2 - most
  return over > 0 ? shorten(short, Math.max(short.length - over, 0)).text : short
}

/** Divides the limit: room that short entries don't need goes to the long ones. */
function divideLimit(lengths: readonly number[], limit: number): number[] {
  const shares: number[] = []
  let [left, count] = [Math.max(limit, 0), lengths.length]
  const inOrder = lengths.map((length, index) => ({ length, index })).sort((one, other) => one.length - other.length)
  for (const { length, index } of inOrder) {
    const share = Math.min(length, Math.floor(left / count))
    shares[index] = share
    left -= share
    count -= 1
  }
  return shares
}
