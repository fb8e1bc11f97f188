// Cuts a text to a limit, by whole lines, and measures what was left out. A line is cut only if not even one fits.
export interface Omission {
  readonly lines: number
  readonly ofLines: number
  readonly characters: number
}

export interface Shortened {
  readonly text: string
  readonly omitted?: Omission
}

type Kept = 'beginning' | 'end'

/** Keeps the beginning or the end: the end of a command's output tells most. */
export function shorten(text: string, maxChars: number, keep: Kept = 'beginning'): Shortened {
  if (text.length <= maxChars) return { text }
  const kept = keep === 'beginning' ? sliceBeginning(text, maxChars) : sliceEnd(text, maxChars)
  return { text: kept, omitted: measureOmission(text, kept, keep) }
}

/** Measures the part that is missing when only the beginning or the end of a text is kept. */
export function measureOmission(text: string, kept: string, keep: Kept): Omission {
  const cut = keep === 'beginning' ? text.slice(kept.length) : text.slice(0, text.length - kept.length)
  const atLineEnd = keep === 'beginning' ? cut.startsWith('\n') : cut.endsWith('\n')
  return { lines: countBreaks(cut) + (atLineEnd ? 0 : 1), ofLines: countBreaks(text) + 1, characters: cut.length }
}

/** Cuts one line of code or output, and appends its full length. */
export function cutLine(line: string, maxChars: number): string {
  return line.length <= maxChars ? line : `${sliceBeginning(line, maxChars)} … (${line.length} characters)`
}

function sliceBeginning(text: string, maxChars: number): string {
  const lineEnd = text.lastIndexOf('\n', maxChars)
  if (lineEnd > 0) return text.slice(0, lineEnd)
  return text.slice(0, isHighSurrogate(text, maxChars - 1) ? maxChars - 1 : maxChars)
}

function sliceEnd(text: string, maxChars: number): string {
  const start = text.length - maxChars
  const lineEnd = text.indexOf('\n', start - 1)
  if (lineEnd >= 0 && lineEnd < text.length - 1) return text.slice(lineEnd + 1)
  return text.slice(isHighSurrogate(text, start - 1) ? start + 1 : start)
}

function isHighSurrogate(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at] ?? '')
}

function countBreaks(text: string): number {
  let breaks = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks += 1
  return breaks
}
