// Finds, merges and replaces the spans of secrets in a text.
import { createPlaceholder } from './placeholder.ts'

export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
}

export function findOccurrences(text: string, secret: string, kind: string): SecretSpan[] {
  const found: SecretSpan[] = []
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) {
    found.push({ start: at, end: at + secret.length, kind })
  }
  return found
}

/** Sorts the spans and merges overlapping ones. No character is cut in two. */
export function mergeSpans(text: string, found: readonly SecretSpan[]): SecretSpan[] {
  const inOrder = found.map((each) => widenSpan(text, each)).sort((one, other) => one.start - other.start)
  const result: SecretSpan[] = []
  for (const each of inOrder) {
    const last = result.at(-1)
    if (last && each.start < last.end) result[result.length - 1] = { ...last, end: Math.max(last.end, each.end) }
    else result.push(each)
  }
  return result
}

export function replaceSpans(text: string, inOrder: readonly SecretSpan[], mark = createPlaceholder): string {
  const parts: string[] = []
  let from = 0
  for (const { start, end, kind } of inOrder) {
    parts.push(text.slice(from, start), mark(kind, text.slice(start, end)))
    from = end
  }
  return [...parts, text.slice(from)].join('')
}

/** Keeps the length of the text. */
export function blankSpans(text: string, found: readonly SecretSpan[]): string {
  return replaceSpans(text, mergeSpans(text, found), (_, secret) => ' '.repeat(secret.length))
}

/** Widens a span so that it cuts neither a surrogate pair nor a JSON escape: masked JSON has to stay JSON. */
function widenSpan(text: string, { start, end, kind }: SecretSpan): SecretSpan {
  return {
    start: splitsSurrogatePair(text, start) || isEscaped(text, start) ? start - 1 : start,
    end: end < text.length && (splitsSurrogatePair(text, end) || isEscaped(text, end)) ? end + 1 : end,
    kind,
  }
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text[before - 1] === '\\') before -= 1
  return (at - before) % 2 === 1
}

export function splitsSurrogatePair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '')
}
