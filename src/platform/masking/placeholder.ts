// The placeholder for a secret: its kind and four digits of its hash, to see whether two places hold the same secret. JSON, diffs
// and shells accept all its characters. Gap: the digits confirm a guess, but only to one in 65536.
import { createHash } from 'node:crypto'

const PLACEHOLDER = /«secret:[a-z0-9-]{1,60}:[0-9a-f]{4}»/g

export function createPlaceholder(kind: string, secret: string): string {
  return `«secret:${kind}:${createHash('sha256').update(secret).digest('hex').slice(0, 4)}»`
}

/** The kind of the secret that a placeholder stands for, as `aws-key-id`. */
export function parsePlaceholderKind(placeholder: string): string {
  return placeholder.split(':')[1] ?? ''
}

/** Keeps the length. Secrets that are masked already are not looked at again. */
export function blankPlaceholders(text: string): string {
  return text.includes('«') ? text.replace(PLACEHOLDER, (mark) => ' '.repeat(mark.length)) : text
}

export function hasPlaceholders(text: string): boolean {
  return text.search(PLACEHOLDER) >= 0
}
