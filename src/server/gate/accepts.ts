// Which answers a client takes, by its header Accept (RFC 9110, section 12.5.1).
import { parseAccept } from 'hono/utils/accept'

/** Of several ranges that fit, the closest counts. Without the header a client takes anything. */
export function acceptsType(header: string | undefined, type: string): boolean {
  if (header === undefined || header.trim() === '') return true
  const [group] = type.split('/')
  const ranges = parseAccept(header).map(({ type: range, q }) => ({ range: range.toLowerCase(), q }))
  const closest = [type, `${group}/*`, '*/*'].flatMap((wanted) => ranges.find(({ range }) => range === wanted) ?? [])[0]
  return closest !== undefined && closest.q > 0
}

/** Only a client that names event streams gets one: most take anything, and would wait for its end. */
export function asksForEvents(header: string | undefined): boolean {
  return parseAccept(header ?? '').some(({ type, q }) => type.toLowerCase() === 'text/event-stream' && q > 0)
}
