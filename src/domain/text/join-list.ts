/** Joins a list for a sentence, shortened: an agent may touch thousands of files. */
export function joinList(all: readonly string[], separator = ', ', most = 10): string {
  const shown = all.slice(0, most).join(separator)
  return all.length > most ? `${shown} and ${all.length - most} more` : shown
}
