// Anchors a finding: the line by its number, and the quote as the check. Nothing is guessed: a quote that stands at several places, none
// of them the reported one, has no line. Lines are compared without their surrounding blanks, which reviewers drop.
import { toOneLine, truncateText } from '../text/truncate.ts'
import type { Anchor } from './finding.ts'

export interface ReportedLines {
  readonly start: number
  readonly end: number
}

/** `45`, `45-67`, `L45-L67`, `45:3`. Undefined if no line is named. */
export function parseReportedLines(text: string | null | undefined): ReportedLines | undefined {
  const [, first, last] =
    /^\s*L?(\d{1,9})(?::\d+)?(?:\s*(?:-|–|\.\.)\s*L?(\d{1,9})(?::\d+)?)?\s*$/i.exec(text ?? '') ?? []
  const start = Number(first ?? 0)
  const end = Number(last ?? first ?? 0)
  return start >= 1 && end >= start ? { start, end } : undefined
}

export function splitTextLines(text: string): string[] {
  return text.split(/\r?\n/)
}

export function anchorQuote(
  { quote, line }: { readonly quote: string; readonly line?: string | null | undefined },
  lines: readonly string[],
): Anchor {
  const wanted = toQuoteLines(quote)
  if (wanted.length === 0) return { kind: 'unanchored', note: 'it quotes nothing' }
  const places = findPlaces(wanted, lines)
  const range = parseReportedLines(line)
  const at = (start: number) => ({ line: start, end_line: start + wanted.length - 1 })
  if (range !== undefined) {
    if (places.includes(range.start)) return { kind: 'anchored', ...at(range.start) }
    const within = places.filter((place) => place > range.start && place <= range.end)
    const [only] = within
    if (only !== undefined && within.length === 1) return { kind: 'anchored', ...at(only) }
    // The range itself was named, and it holds the quote.
    if (only !== undefined) return { kind: 'anchored', line: range.start, end_line: Math.min(range.end, lines.length) }
  }
  const [first] = places
  const reported = line ? `reported at line ${truncateText(toOneLine(line), 40)}` : 'reported without a line'
  if (first === undefined) return { kind: 'unanchored', note: `${reported}, and its quote is not in the file` }
  if (places.length > 1)
    return { kind: 'unanchored', note: `${reported}, and its quote stands at ${places.length} other places` }
  return { kind: 'moved', ...at(first), note: `${reported}, its quote stands at line ${first}` }
}

/** Without blank lines around it. */
export function toQuoteLines(quote: string): string[] {
  const lines = splitTextLines(quote).map((line) => line.trim())
  const first = lines.findIndex((line) => line !== '')
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1)
}

function findPlaces(wanted: readonly string[], lines: readonly string[]): number[] {
  const places: number[] = []
  for (let start = 0; start + wanted.length <= lines.length; start += 1) {
    if (wanted.every((text, index) => lines[start + index]?.trim() === text)) places.push(start + 1)
  }
  return places
}
