// What stands where a secret stood: its kind and four digits of its hash, so that two places can be seen to hold the same one. It
// holds no character that JSON, a diff or a shell would mind. Gap: four digits tell somebody who guesses one guess in 65536.
import { createHash } from 'node:crypto'

const PLACEHOLDER = /«secret:[a-z0-9-]{1,60}:[0-9a-f]{4}»/g

export function createPlaceholder(kind: string, secret: string): string {
  return `«secret:${kind}:${createHash('sha256').update(secret).digest('hex').slice(0, 4)}»`
}

/** As long as before: what was masked already is not looked at again. */
export function blankPlaceholders(text: string): string {
  return text.includes('«') ? text.replace(PLACEHOLDER, (mark) => ' '.repeat(mark.length)) : text
}

export function hasPlaceholders(text: string): boolean {
  return text.search(PLACEHOLDER) >= 0
}
