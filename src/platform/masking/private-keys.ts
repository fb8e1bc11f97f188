// Private keys: a whole one from its first line to its last, and the pieces of one that was cut off or is put together in code.
// Paths and names are written in the letters of a key as well, and a BEGIN without an END is also what somebody writes about one.
// So a piece has to look like one, and without an END it has to follow on. Gap: one behind a word, then, with which its first line did
// not begin as well, or of less than 32 letters.
import type { SecretSpan } from './spans.ts'

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
export const MAX_KEY_LENGTH = 16_000
/** What stands between the first line and the key, also within a diff. */
const HEADERS =
  /^(?:[-+\s]|Proc-Type: \d,[A-Z]{1,20}|DEK-Info: [\w-]{1,30},[\dA-F]{1,64}|(?:Version|Comment|Hash|Charset): [^\n]{0,200}(?=\n))*/
const MIN_KEY_LENGTH = 16
const MAX_PREFIX_LENGTH = 300

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

/** In a key on one line there are blanks where its lines ended. */
function isKeyLine(line: string): boolean {
  const words = line.replace(/^[-+]/, '').trim().split(/\s+/)
  return words.every(
    (word, at) => /^[A-Za-z0-9+/=]*$/.test(word) && (word.length >= MIN_KEY_LENGTH || at === words.length - 1),
  )
}

/** Without the sign that the last line has in a diff. */
function wholeKeySpan(within: string, start: number): Span[] {
  const end = within.trimEnd().replace(/\n[-+]$/, '').length
  return end - start < MIN_KEY_LENGTH ? [] : [{ start, end }]
}

/** What a log or a search puts before each line stands before the first one as well. */
function getLinePrefix(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - MAX_PREFIX_LENGTH), at)
  return before.slice(before.lastIndexOf('\n') + 1)
}

/** Without its end it has to follow on: line by line, with what its first line begins with. */
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

/** Nothing where it is a part of a longer name, or is put together from words. */
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

/** Of a key's letters every second is of another kind than the one before, in its tamest lines every third; of a path's one in seven. */
function isRandom(run: string): boolean {
  const isMixed = [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(run))
  return isMixed && (run.match(CHARACTER_KIND_CHANGE)?.length ?? 0) >= run.length / 4
}

/** No word: only quotes, signs, numbers of lines; but comments at the end of lines, and lines that are the short last one of a key. */
function isKeySeparator(gap: string, beginning: string): boolean {
  const lines = gap.split('\n')
  return lines.every((line, at) => {
    const isLast = at === lines.length - 1
    if (isLast && stripNumbers(line) === stripNumbers(beginning)) return true
    if (at > 0 && !isLast && /^[-+]?[A-Za-z0-9+/=]{1,31}$/.test(line.trim())) return true
    return !/\p{L}/u.test(isLast ? line : line.replace(/(?:\/\/|#).*/, ''))
  })
}

/** Without numbers, and how they are set off: of lines, or the time. */
function stripNumbers(beginning: string): string {
  return beginning.replace(/[\d\s:.,+|-]+/g, ' ').trim()
}
