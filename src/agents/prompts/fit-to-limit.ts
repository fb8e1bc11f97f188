// How a prompt that would be longer than it may be is made to fit: its parts give way one after the other, the least needed first, and
// each says what it lost. Nothing is ever left out without a word.
import { type Block, textBlock } from './data-block.ts'
import { type Shortened, shorten } from './shorten.ts'

export interface Part {
  readonly block: Block
  /** What was left out of it. */
  readonly remark?: string | undefined
  readonly gives?: Way | undefined
}

/** How a part gives way. */
export interface Way {
  /** The lowest first. */
  readonly rank: number
  /** The part in about so many characters, or in as few as it can do with. */
  readonly to: (limit: number) => Part
}

/** What an agent can look up for itself goes before what only the prompt says. */
export const RANK = {
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
const REMARK = 400
/** Once more where those words are longer: they may name each issue. */
const ATTEMPTS = 2
/** Less of a text is worth nothing. */
const LEAST = 500

/** `lengthOf` is the whole prompt's with these parts. */
export function fitted(
  parts: readonly Part[],
  lengthOf: (parts: readonly Part[]) => number,
  most: number,
): readonly Part[] {
  let shown = parts
  const inOrder = parts
    .flatMap((part) => (part.gives ? [{ part, ...part.gives }] : []))
    .sort((one, other) => one.rank - other.rank)
  for (const { part, to } of inOrder) {
    let before = part
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const over = lengthOf(shown) - most
      if (over <= 0) return shown
      const shorter = to(Math.max(before.block.content.length - over - REMARK, 0))
      const replaced = before
      shown = shown.map((each) => (each === replaced ? shorter : each))
      before = shorter
    }
  }
  return shown
}

/** A text that is cut by lines. */
export function cutBlock(name: string, text: string, limit: number, rank?: number): Part {
  const short = shorten(text, limit)
  const remark = leftOut(`the block \`${name}\``, short, 'last') || undefined
  return { block: textBlock(name, short.text), remark, gives: wayOf(name, text, rank) }
}

function wayOf(name: string, text: string, rank: number | undefined): Way | undefined {
  return rank === undefined
    ? undefined
    : { rank, to: (limit) => (limit < LEAST ? without(name) : cutBlock(name, text, limit)) }
}

export function without(name: string): Part {
  return {
    block: textBlock(name, ''),
    remark: `The block \`${name}\` did not fit: it is empty, and what it would hold is not shown.`,
  }
}

/** The same, made anew for each limit. */
export function madeBlock(name: string, make: (limit: number) => string, limit: number, rank: number): Part {
  const { block, remark } = cutBlock(name, make(limit), limit)
  const to = (less: number): Part => (less < LEAST ? without(name) : cutBlock(name, make(less), less))
  return { block, remark, gives: { rank, to } }
}

export function leftOut(what: string, { leftOut: cut }: Shortened, which: 'first' | 'last'): string {
  if (!cut) return ''
  return `Of ${what}, the ${which} ${cut.lines} of ${cut.ofLines} lines (${cut.characters} characters) did not fit and are not shown.`
}
