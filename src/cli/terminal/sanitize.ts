// Somebody else's words on a terminal: without what it would obey, and with what turns the direction of a line shown as what it is.
// Fields are made harmless where they are put together; the guard stands at the door, for what was forgotten.
import { stripVTControlCharacters } from 'node:util'

const ESCAPE = String.fromCharCode(27)
const COLOUR_OR_CONTROL = new RegExp(`${ESCAPE}\\[[\\d;]*m|(?![\\n\\t])\\p{Cc}|\\p{Bidi_Control}`, 'gu')

/** One line of it. */
export function sanitizeLine(text: string): string {
  return sanitizeText(text.split('\n', 1)[0] ?? '').replaceAll('\t', ' ')
}

/** Many lines of it. */
export function sanitizeText(text: string): string {
  return sanitizeOutput(stripVTControlCharacters(text))
}

/** What goes out, our own colours in it: nothing else in it is for the terminal to obey. */
export function sanitizeOutput(text: string): string {
  return text.replace(COLOUR_OR_CONTROL, (found) => {
    if (found.length > 1) return found
    return /\p{Cc}/u.test(found) ? ' ' : `<U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`
  })
}

/** As it is for a file or a pipe, harmless on a terminal. */
export function sanitizeForTty(text: string): string {
  return process.stdout.isTTY ? sanitizeText(text) : text
}
