// Cuts texts to the room there is. Surrogate pairs stay whole, as JSON and databases stumble over half a pair.

/** The beginning, with an ellipsis if something is left out. */
export function truncateText(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed()
  return `${dropHalfPair(text.slice(0, Math.max(most - 1, 0)))}…`.toWellFormed()
}

export function truncateMiddle(text: string, most: number, gap = '…'): string {
  if (text.length <= most) return text.toWellFormed()
  const room = Math.max(most - gap.length, 0)
  const tail = text.slice(text.length - Math.floor(room / 2)).replace(/^[\uDC00-\uDFFF]/, '')
  return `${dropHalfPair(text.slice(0, Math.ceil(room / 2)))}${gap}${tail}`.toWellFormed()
}

/** Removes line breaks and control characters: for titles, subjects of commits and lines of tables. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

function dropHalfPair(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, '')
}
