// Texts of findings and agents, made harmless for a page that others read: nobody is called, nothing is closed, nothing is hidden or loaded.
import { neutralizeText } from '../commit/neutralize-text.ts'
import { truncateText } from '../text/truncate.ts'

/** GitHub's own limit is 65,536 for a body; the marker and a closing line need room. */
const MAX_BODY = 64_000
const MAX_TITLE = 200
/** Between the sign and the name it shows nothing, and calls nobody. */
const NOTHING = '\u2060'

export function toPostedText(text: string): string {
  return neutralizeText(text)
    .replaceAll('<!--', '&lt;!--')
    .replace(
      /<(?=\/?(?:img|picture|source|video|audio|iframe|script|style|svg|link|object|embed|form|input|meta|base|details|summary)\b)/gi,
      '&lt;',
    )
    .replace(/!\[(?=[^\]]*\])/g, '\\![')
    .replace(/(^|[^\w/.`-])@(?=[A-Za-z0-9])/g, `$1@${NOTHING}`)
    .replace(/(^|[\s([{,;:])((?:[\w.-]+\/[\w.-]+)?#|GH-)(?=\d)/gi, `$1$2${NOTHING}`)
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

export function toPostedTitle(text: string): string {
  return truncateText(toPostedText(text).replace(/\s+/g, ' ').trim(), MAX_TITLE)
}
