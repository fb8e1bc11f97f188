// Texts of findings and agents, made harmless for a commit message: servers act on some words in it.

/** Removes characters that git refuses, terminals obey or turn a line around, and words that make servers skip checks or close issues. */
export function neutralizeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, ' ')
    .replace(/\[((?:skip|no)[ -]\w+|\w+[ -]skip)\]/gi, '($1)')
    .replace(/\*{3}NO_CI\*{3}/gi, 'NO_CI')
    .replace(
      /\b(clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing))(:?\s+)(?=[\w./-]*#\d|GH-\d|https?:\/\/)/gi,
      '$1$2issue ',
    )
}

export function toSingleLine(text: string): string {
  return neutralizeText(text).replace(/\s+/g, ' ').trim()
}

/** One paragraph in which no line can be read as a trailer, wherever it is wrapped. */
export function toParagraph(text: string): string {
  return toSingleLine(text).replace(/\b([\w-]+-by|fixwright-\w+|skip-checks)(\s*):/gi, '$1$2 -')
}
