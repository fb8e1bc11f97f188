// The parts of a prompt: a block of data, what was left out of it, and how it can be shortened.
import { type Omission, shorten } from './shorten.ts'

export interface DataBlock {
  readonly name: string
  readonly content: string
  /** It holds only words of the people this work is for, and is no mere material. */
  readonly isTrusted?: true
}

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
  uses: 5,
  after: 6,
  evidence: 7,
  diff: 8,
  claims: 9,
  notes: 10,
  issues: 11,
  feedback: 12,
  verification: 13,
  judged: 14,
} as const

/** A shorter piece of a text is worth nothing. */
const MIN_TEXT = 500

/** A line for each entry: indentation would cost a fifth more. */
export function jsonBlock(name: string, value: object): DataBlock {
  return { name, content: Array.isArray(value) ? renderList(value) : renderObject(value) }
}

function renderList(entries: readonly unknown[]): string {
  return entries.length === 0 ? '[]' : `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`
}

function renderObject(fields: object): string {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}: ${JSON.stringify(value)}`],
  )
  return `{\n${lines.join(',\n')}\n}`
}

export function jsonPart(name: string, value: object): PromptPart {
  return { block: jsonBlock(name, value) }
}

/** A part in which only people have a say. */
export function trustedPart({ block, shrinker, ...part }: PromptPart): PromptPart {
  return {
    ...part,
    block: { ...block, isTrusted: true },
    shrinker: shrinker && { ...shrinker, shrinkTo: (limit) => trustedPart(shrinker.shrinkTo(limit)) },
  }
}

/** Lone surrogates become U+FFFD here, as they would on their way to the CLI. */
export function textBlock(name: string, text: string): DataBlock {
  return { name, content: text.toWellFormed() }
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
