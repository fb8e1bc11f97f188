// Finds private keys, whole or in pieces: a key may be cut off or put together in code. Gap: keys whose lines carry a prefix that
// the first line lacks, and lines under 32 characters, are missed.
import type { SecretSpan } from './spans.ts'

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
export const MAX_KEY_LENGTH = 16_000
/** Lines between the BEGIN line and the key, also within a diff. */
const HEADERS =
  /^(?:[-+\s]|Proc-Type: \d,[A-Z]{1,20}|DEK-Info: [\w-]{1,30},[\dA-F]{1,64}|(?:Version|Comment|Hash|Charset): [^\n]{0,200}(?=\n))*/
const MIN_KEY_LENGTH = 16
const MAX_PREFIX_LENGTH = 300

/** Paths look like keys, and prose mentions BEGIN without END: a piece has to look random, and without END to follow directly. */
export function findPrivateKeys(text: string): SecretSpan[] {
  return [...text.matchAll(BEGIN)].flatMap(({ index, 0: begin }): SecretSpan[] => {
    const from = index + begin.length
    const farthest = text.slice(from, from + MAX_KEY_LENGTH)
    const end = farthest.search(/-----(?:END|BEGIN) /)
    const within = end < 0 ? farthest : farthest.slice(0, end)
    const isClosed = end >= 0 && farthest.startsWith('-----END', end)
    const start = HEADERS.exec(within)?.[0].length ?? 0
    const lines = within.slice(start).split('\n')
    const found =
      isClosed && lines.every(isKeyLine)
        ? wholeKeySpan(within, start)
        : findKeyPieces(within, start, isClosed ? undefined : getLinePrefix(text, index))
    return found.map((each) => ({ start: from + each.start, end: from + each.end, kind: 'private-key' }))
  })
}

type Span = Pick<SecretSpan, 'start' | 'end'>

/** Where a key begins whose END has not come yet; undefined if there is none, or more has come than a key can have. */
export function findOpenKey(text: string): number | undefined {
  const begun = [...text.matchAll(BEGIN)].at(-1)?.index
  if (begun === undefined || text.includes('-----END ', begun)) return undefined
  return text.length - begun > MAX_KEY_LENGTH ? undefined : begun
}

/** A key on one line has blanks where its lines ended. */
function isKeyLine(line: string): boolean {
  const words = line.replace(/^[-+]/, '').trim().split(/\s+/)
  return words.every(
    (word, at) => /^[A-Za-z0-9+/=]*$/.test(word) && (word.length >= MIN_KEY_LENGTH || at === words.length - 1),
  )
}

/** Excludes the sign that a diff puts on the last line. */
function wholeKeySpan(within: string, start: number): Span[] {
  const end = within.trimEnd().replace(/\n[-+]$/, '').length
  return end - start < MIN_KEY_LENGTH ? [] : [{ start, end }]
}

/** The prefix that a log or a search puts before each line also stands before the first one. */
function getLinePrefix(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_PREFIX_LENGTH), at)
  return before.slice(before.lastIndexOf('\n') + 1)
}

/** Without an END line the pieces must follow each other line by line, each with the prefix of the first line. */
function findKeyPieces(within: string, start: number, beginning: string | undefined): Span[] {
  const pieces: Span[] = []
  let last = start
  for (const run of within.slice(start).matchAll(/[A-Za-z0-9+/=]{32,}/g)) {
    const piece = toKeyPiece(within, start + run.index, run[0])
    const follows = beginning === undefined || (piece && isKeySeparator(within.slice(last, piece.start), beginning))
    if (!follows) break
    last = start + run.index + run[0].length
    if (piece) pieces.push(piece)
  }
  return pieces
}

/** Undefined if the run is part of a longer name or is put together from words. */
function toKeyPiece(text: string, at: number, run: string): Span | undefined {
  const isEscaped = text[at - 1] === '\\' && /^[nrt]/.test(run)
  const start = at + (isEscaped ? 1 : (/^\+*/.exec(run)?.[0].length ?? 0))
  const end = at + run.length
  const isName =
    /(?:[\w.@~]|[A-Za-z]-)$/.test(text.slice(Math.max(0, at - 2), at)) ||
    /^(?:[\w.@~]|:\d|-(?!----))/.test(text.slice(end, end + 5))
  return isName || !isRandom(run) ? undefined : { start, end }
}

const CHARACTER_KIND_CHANGE = /(?<=[a-z])[A-Z\d]|(?<=[A-Z])[a-z\d]|(?<=\d)[A-Za-z]/g

/** In a key every second character is of another kind than the one before, and at least every third; in a path it is one in seven. */
function isRandom(run: string): boolean {
  const isMixed = [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(run))
  return isMixed && (run.match(CHARACTER_KIND_CHANGE)?.length ?? 0) >= run.length / 4
}

/** Quotes, signs, line numbers, comments at line ends and a key's short last line may stand between two pieces, but no word. */
function isKeySeparator(gap: string, beginning: string): boolean {
  const lines = gap.split('\n')
  return lines.every((line, at) => {
    const isLast = at === lines.length - 1
    if (isLast && stripNumbers(line) === stripNumbers(beginning)) return true
    if (at > 0 && !isLast && /^[-+]?[A-Za-z0-9+/=]{1,31}$/.test(line.trim())) return true
    return !/\p{L}/u.test(isLast ? line : line.replace(/(?:\/\/|#).*/, ''))
  })
}

/** Removes line numbers or times, and their separators. */
function stripNumbers(beginning: string): string {
  return beginning.replace(/[\d\s:.,+|-]+/g, ' ').trim()
}
