// Lists in events: people read them and terminals stream them, so they are bounded, and what is left out is counted.
import { z } from 'zod'

export const Texts = z.array(z.string()).readonly()

/** How many entries of each list are left out; absent where none are. */
export const Unlisted = z.record(z.string(), z.number()).optional()

const MAX_LISTED = 100
const MAX_IN_SENTENCE = 10

/** The beginning of each list, and how much of it is left out. */
export function limitLists<Lists extends Readonly<Record<string, readonly unknown[]>>>(
  lists: Lists,
): Lists & { unlisted?: Record<string, number> } {
  const entries = Object.entries(lists)
  const left = entries.flatMap(([name, all]) => (all.length > MAX_LISTED ? [[name, all.length - MAX_LISTED]] : []))
  if (left.length === 0) return lists
  const shown = Object.fromEntries(entries.map(([name, all]) => [name, all.slice(0, MAX_LISTED)]))
  return { ...lists, ...shown, unlisted: Object.fromEntries(left) }
}

/** A list in a sentence, of which `unlisted` entries are not even here. */
export function joinLimited(shown: readonly string[], unlisted = 0, separator = ', '): string {
  const text = shown.slice(0, MAX_IN_SENTENCE).join(separator)
  const more = shown.length + unlisted - MAX_IN_SENTENCE
  return more > 0 ? `${text} and ${more} more` : text
}
