// How a prompt that would be longer than it may be is made to fit: its parts give way one after the other, the least needed first, and
// each says what it lost. Nothing is ever left out without a word.
import { type DataBlock, textBlock } from './data-block.ts'
import { type Shortened, shorten } from './shorten.ts'

export interface PromptPart {
  readonly block: DataBlock
  /** What was left out of it. */
  readonly remark?: string | undefined
  readonly shrinker?: Shrinker | undefined
}

/** How a part gives way. */
export interface Shrinker {
  /** The lowest first. */
  readonly rank: number
  /** The part in about so many characters, or in as few as it can do with. */
  readonly shrinkTo: (limit: number) => PromptPart
}

/** What an agent can look up for itself goes before what only the prompt says. */
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

/** For the words that say what is missing. */
const REMARK_ROOM = 400
/** Once more where those words are longer: they may name each issue. */
const ATTEMPTS = 2
/** Less of a text is worth nothing. */
const MIN_TEXT = 500

/** `lengthOf` is the whole prompt's with these parts. */
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

/** A text that is cut by lines. */
export function cutTextPart(name: string, text: string, limit: number, rank?: number): PromptPart {
  const short = shorten(text, limit)
  const remark = describeOmission(`the block \`${name}\``, short, 'last') || undefined
  return { block: textBlock(name, short.text), remark, shrinker: createShrinker(name, text, rank) }
}

function createShrinker(name: string, text: string, rank: number | undefined): Shrinker | undefined {
  return rank === undefined
    ? undefined
    : { rank, shrinkTo: (limit) => (limit < MIN_TEXT ? omittedPart(name) : cutTextPart(name, text, limit)) }
}

export function omittedPart(name: string): PromptPart {
  return {
    block: textBlock(name, ''),
    remark: `The block \`${name}\` did not fit: it is empty, and what it would hold is not shown.`,
  }
}

/** The same, made anew for each limit. */
export function generatedPart(name: string, make: (limit: number) => string, limit: number, rank: number): PromptPart {
  const { block, remark } = cutTextPart(name, make(limit), limit)
  const to = (less: number): PromptPart => (less < MIN_TEXT ? omittedPart(name) : cutTextPart(name, make(less), less))
  return { block, remark, shrinker: { rank, shrinkTo: to } }
}

export function describeOmission(what: string, { omitted: cut }: Shortened, which: 'first' | 'last'): string {
  if (!cut) return ''
  return `Of ${what}, the ${which} ${cut.lines} of ${cut.ofLines} lines (${cut.characters} characters) did not fit and are not shown.`
}
