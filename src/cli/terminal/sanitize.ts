// Removes control characters from text of others. Callers clean each field; `sanitizeOutput` catches what they forget.
import { stripVTControlCharacters } from 'node:util'

const ESCAPE = String.fromCharCode(27)
const COLOUR_OR_CONTROL = new RegExp(`${ESCAPE}\\[[\\d;]*m|(?![\\n\\t])\\p{Cc}|\\p{Bidi_Control}`, 'gu')

/** Returns the first line only. */
export function sanitizeLine(text: string): string {
  return sanitizeText(text.split('\n', 1)[0] ?? '').replaceAll('\t', ' ')
}

export function sanitizeText(text: string): string {
  return sanitizeOutput(stripVTControlCharacters(text))
}

/** Cleans output that may hold our own colours, which stay. */
export function sanitizeOutput(text: string): string {
  return text.replace(COLOUR_OR_CONTROL, (found) => {
    if (found.length > 1) return found
    return /\p{Cc}/u.test(found) ? ' ' : `<U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`
  })
}

/** Leaves the text unchanged for a file or a pipe. */
export function sanitizeForTty(text: string): string {
  return process.stdout.isTTY ? sanitizeText(text) : text
}
