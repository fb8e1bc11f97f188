// How many columns a text takes on a terminal, and texts cut to them. Terminals differ about rare characters; these are the widths that
// most of them use.

const PLAIN = /^[\x20-\x7e]*$/
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{RI}|.\uFE0F|[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])/u

export function measureWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  return split(text).reduce((sum, grapheme) => sum + measureGrapheme(grapheme), 0)
}

/** The beginning, with an ellipsis if something is left out. */
export function truncateToColumns(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text
  return `${takeColumns(split(text), columns - 1).join('')}…`
}

/** Cuts a path in the middle: its last name stays as long as it fits. */
export function truncatePath(path: string, columns: number): string {
  if (measureWidth(path) <= columns) return path
  const name = path.slice(path.lastIndexOf('/'))
  const room = columns - 1 - measureWidth(name)
  if (room >= 0) return `${takeColumns(split(path), room).join('')}…${name}`
  return `…${takeColumns(split(name).reverse(), columns - 1)
    .reverse()
    .join('')}`
}

let graphemes: Intl.Segmenter | undefined

/** The segmenter is made when first needed: it takes longer than all else that a short command prints. */
function split(text: string): string[] {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(graphemes.segment(text), ({ segment }) => segment)
}

function measureGrapheme(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}

function takeColumns(parts: string[], columns: number): string[] {
  let taken = 0
  const end = parts.findIndex((part) => {
    taken += measureGrapheme(part)
    return taken > columns
  })
  return end < 0 ? parts : parts.slice(0, end)
}
