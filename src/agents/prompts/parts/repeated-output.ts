// Detects whether a command prints the same as last time. Numbers such as times don't count; but one may be the failure itself, so lines
// that differ only in numbers are listed.
import { createHash } from 'node:crypto'

/** More or longer lines would be as much as the output itself. */
const MAX_LINES = 20
const MAX_LINE = 300

/** Equal for texts that differ only in numbers. */
export function hashOutput(parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(parts.map(maskNumbers)))
    .digest('hex')
    .slice(0, 12)
}

/** The lines that differ from an earlier text only in numbers; undefined if anything else differs, or if they are too many. */
export function listOtherNumbers(before: string, now: string): string[] | undefined {
  if (maskNumbers(before) !== maskNumbers(now)) return undefined
  const earlier = before.split('\n')
  const lines = now.split('\n').filter((line, at) => line !== earlier[at])
  return lines.length > MAX_LINES || lines.some(({ length }) => length > MAX_LINE) ? undefined : lines
}

function maskNumbers(text: string): string {
  return text.replace(/\b0x[0-9a-f]+|\d+(?:[.,]\d+)*/gi, '0')
}
