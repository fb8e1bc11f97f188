/** At most so many characters of a text that somebody else wrote, none of them cut in two. */
export function truncateText(text: string, most: number): string {
  return (text.length <= most ? text : `${text.slice(0, most - 1)}…`).toWellFormed()
}
