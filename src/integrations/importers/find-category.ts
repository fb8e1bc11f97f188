// The category of a finding: the first tag of its rule that is one.

const LEVELS = new Set(['critical', 'high', 'medium', 'low', 'info', 'error', 'warning', 'note'])

/** Tags also hold levels, and numbers of weaknesses such as `external/cwe/cwe-079`. */
export function findCategory(tags: readonly string[]): string | undefined {
  return tags.find((tag) => /^[a-z][a-z -]*$/i.test(tag) && !LEVELS.has(tag.toLowerCase()))
}
