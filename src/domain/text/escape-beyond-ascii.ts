/**
 * Code that means the same in half the memory: one letter beyond ASCII makes a whole source text take two bytes a letter. In strings,
 * templates and patterns an escape is the letter; names and raw templates must have none.
 */
export function escapeBeyondAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
