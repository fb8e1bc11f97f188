// The category of a finding is the first tag of its rule that is one. Tags also name weaknesses.

const LEVELS = new Set(['critical', 'high', 'medium', 'low', 'info', 'error', 'warning', 'note'])

/** Tags also hold levels, and numbers of weaknesses such as `external/cwe/cwe-079`. */
export function findCategory(tags: readonly string[]): string | undefined {
  return tags.find((tag) => /^[a-z][a-z -]*$/i.test(tag) && !LEVELS.has(tag.toLowerCase()))
}

/** `external/cwe/cwe-078`, `CWE-78: OS Command Injection` and `cwe-78` are one. */
export function findWeaknesses(texts: unknown): string[] {
  const found = [texts].flat(3).filter((text) => typeof text === 'string')
  const numbers = found.flatMap((text) => /\bcwe[-_ ]?0*(\d{1,6})\b/i.exec(text)?.[1] ?? [])
  return [...new Set(numbers.map((number) => `cwe-${number}`))]
}
