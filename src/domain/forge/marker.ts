// What we post carries a marker with its key, so that it is found again and never made twice. A marker counts only with a code that nobody
// without this home's key can make: people and agents may write comments, too.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** `pull`, `issue`, `votes` and so on, with the id of what it stands for. */
export interface MarkerKey {
  readonly kind: string
  readonly id: string
  /** Where it is posted: a marker that is copied elsewhere does not count. */
  readonly place: string
}

const MARKER = /<!-- fixwright:([a-z-]+)=([\w.:-]+) v=1 mac=([0-9a-f]{32}) -->/g

export function formatPostMarker(key: MarkerKey, secret: string): string {
  return `<!-- fixwright:${key.kind}=${key.id} v=1 mac=${computeCode(key, secret)} -->`
}

export function hasPostMarker(text: string, key: MarkerKey, secret: string): boolean {
  const expected = Buffer.from(computeCode(key, secret))
  return [...text.matchAll(MARKER)].some(
    ([, kind, id, code = '']) => kind === key.kind && id === key.id && timingSafeEqual(Buffer.from(code), expected),
  )
}

function computeCode({ kind, id, place }: MarkerKey, secret: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([kind, id, place.toLowerCase()]))
    .digest('hex')
    .slice(0, 32)
}
