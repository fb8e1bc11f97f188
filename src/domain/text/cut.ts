/** At most so many characters of a text that somebody else wrote, none of them cut in two. */
export function truncateText(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed()
  const kept = text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept}…`.toWellFormed()
}
