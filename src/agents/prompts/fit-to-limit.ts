// Fits a prompt into its limit: its parts are shortened one after the other, the least needed first, and each says what it lost. Nothing
// is ever left out without a word.
import { type DataBlock, textBlock } from './data-block.ts'
import { type Omission, shorten } from './shorten.ts'

export interface PromptPart {
  readonly block: DataBlock
  /** Says what was left out of the block. */
  readonly remark?: string | undefined
  readonly shrinker?: Shrinker | undefined
}

export interface Shrinker {
  /** Parts of a lower rank are shortened first. */
  readonly rank: number
  /** Returns the part in about this many characters, or as short as it can be. */
  readonly shrinkTo: (limit: number) => PromptPart
}

/** Parts that an agent can look up for itself are shortened before those that only the prompt holds. */
export const SHRINK_ORDER = {
  code: 1,
  change: 2,
  conventions: 3,
  review: 4,
  evidence: 5,
  diff: 6,
  claims: 7,
  notes: 8,
  issues: 9,
  feedback: 10,
  verification: 11,
  judged: 12,
} as const

/** Room for the remark on what is missing. */
const REMARK_ROOM = 400
/** A second attempt is for longer remarks: they may name each issue. */
const ATTEMPTS = 2
/** A shorter piece of a text is worth nothing. */
const MIN_TEXT = 500

/** `measure` returns the length of the whole prompt with these parts. */
export function fitParts(
  parts: readonly PromptPart[],
  measure: (parts: readonly PromptPart[]) => number,
  most: number,
): readonly PromptPart[] {
  let shown = parts
  const inOrder = parts
    .flatMap((part) => (part.shrinker ? [{ part, ...part.shrinker }] : []))
    .sort((one, other) => one.rank - other.rank)
  for (const { part, shrinkTo } of inOrder) {
    let before = part
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const over = measure(shown) - most
      if (over <= 0) return shown
      const shorter = shrinkTo(Math.max(before.block.content.length - over - REMARK_ROOM, 0))
      const replaced = before
      shown = shown.map((each) => (each === replaced ? shorter : each))
      before = shorter
    }
  }
  return shown
}

/** A text that is cut by lines, or rendered anew for each limit. Without a rank it is shortened no further. */
export function textPart(
  name: string,
  text: string | ((limit: number) => string),
  limit: number,
  rank?: number,
): PromptPart {
  const short = shorten(typeof text === 'string' ? text : text(limit), limit)
  const remark = short.omitted && describeOmission(`the block \`${name}\``, short.omitted, 'last')
  const shrinkTo = (less: number) => (less < MIN_TEXT ? omittedPart(name) : textPart(name, text, less))
  return { block: textBlock(name, short.text), remark, shrinker: rank === undefined ? undefined : { rank, shrinkTo } }
}

function omittedPart(name: string): PromptPart {
  return {
    block: textBlock(name, ''),
    remark: `The block \`${name}\` did not fit: it is empty, and what it would hold is not shown.`,
  }
}

export function describeOmission(what: string, cut: Omission, which: 'first' | 'last'): string {
  return `Of ${what}, the ${which} ${cut.lines} of ${cut.ofLines} lines (${cut.characters} characters) did not fit and are not shown.`
}
