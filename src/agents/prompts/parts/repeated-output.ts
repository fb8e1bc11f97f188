// Whether a command says the same as the last time. Two runs of one failure differ in times, so numbers don't count; but a number may
// be the failure itself, so the lines in which one differs are told.
import { createHash } from 'node:crypto'

/** More or longer lines are no less than the output itself. */
const MAX_LINES = 20
const MAX_LINE = 300

/** The same for texts that differ in nothing but numbers. */
export function hashOutput(parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(parts.map(maskNumbers)))
    .digest('hex')
    .slice(0, 12)
}

/** The lines that differ from an earlier text in numbers alone; undefined where it says something else, or they are too many. */
export function listOtherNumbers(before: string, now: string): string[] | undefined {
  if (maskNumbers(before) !== maskNumbers(now)) return undefined
  const earlier = before.split('\n')
  const lines = now.split('\n').filter((line, at) => line !== earlier[at])
  return lines.length > MAX_LINES || lines.some(({ length }) => length > MAX_LINE) ? undefined : lines
}

function maskNumbers(text: string): string {
  return text.replace(/\b0x[0-9a-f]+|\d+(?:[.,]\d+)*/gi, '0')
}
