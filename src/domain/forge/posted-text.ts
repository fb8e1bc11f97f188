// Texts of findings and agents, made harmless for a page that others read: nobody is called, nothing is closed, nothing is hidden or loaded.
import { neutralizeText } from '../commit/neutralize-text.ts'
import { toOneLine, truncateText } from '../text/truncate.ts'

/** GitHub's own limit is 65,536 for a body; the marker and a closing line need room. */
const MAX_BODY = 64_000
const MAX_TITLE = 200
/** Between a sign and what follows, it shows nothing and keeps the two from meaning anything. */
const NOTHING = '\u2060'

/** Where a forge reads more than text: also within code, which a backtick that is never closed only seems to be. */
const SIGNS = [
  // Somebody is called, by a name or by an entity that becomes the sign.
  /@(?=[A-Za-z0-9])/g,
  /&(?=#?\w+;)/g,
  // Another issue is named.
  /#(?=\d)/g,
  /\bGH-(?=\d)/gi,
  // HTML, comments in it, and images, which are loaded or hide what they hold.
  /<(?=[!?/A-Za-z])/g,
  /!(?=\[)/g,
  // A definition of a link is not shown.
  /\](?=:)/g,
]

export function toPostedText(text: string): string {
  return SIGNS.reduce((posted, sign) => posted.replace(sign, `$&${NOTHING}`), neutralizeText(text))
}

/** Says so where it is cut, and closes what the cut left open. */
export function clampBody(text: string, note: string): string {
  if (text.length <= MAX_BODY) return text
  const room = MAX_BODY - note.length - 200
  const cut = text.slice(0, room)
  const kept = truncateText(cut.slice(0, Math.max(cut.lastIndexOf('\n'), Math.floor(room / 2))), room)
  const isFenceOpen = (kept.match(/^ {0,3}(```|~~~)/gm) ?? []).length % 2 === 1
  const open = (kept.match(/<details>/g) ?? []).length - (kept.match(/<\/details>/g) ?? []).length
  return `${kept}${isFenceOpen ? '\n```' : ''}${'\n</details>'.repeat(Math.max(open, 0))}\n\n${note}`
}

/** In one line, of at most so many characters before it is made harmless. */
export function toPostedLine(text: string, most: number): string {
  return toPostedText(truncateText(toOneLine(text), most))
}

export function toPostedTitle(text: string): string {
  return truncateText(toPostedText(text).replace(/\s+/g, ' ').trim(), MAX_TITLE)
}
