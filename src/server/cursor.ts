// Cursors of lists: opaque to clients, checked when they come back. A cursor belongs to the filter that it was made for.

import { createHash } from 'node:crypto'
import type { z } from '@hono/zod-openapi'
import { parseJsonIfValid } from '../domain/text/parse-json.ts'
import { ApiProblem } from './problem.ts'

type SortKey = readonly (string | number)[]

/** `filter` is all that decides which items there are and how they are sorted. */
export function formatCursor(filter: unknown, key: SortKey): string {
  return Buffer.from(JSON.stringify([hashFilter(filter), ...key])).toString('base64url')
}

export function parseCursor<Key extends z.ZodType>(text: string, filter: unknown, key: Key): z.output<Key> {
  const [hash, ...rest] = decode(text)
  if (hash !== hashFilter(filter)) throw invalid('the cursor belongs to another list or filter')
  const parsed = key.safeParse(rest)
  if (!parsed.success) throw invalid('the cursor is not one that this service made')
  return parsed.data
}

export interface Page<Item> {
  readonly items: Item[]
  /** Where the next page begins; null after the last. */
  readonly next_cursor: string | null
}

/** `found` has one item more than the page where there is a next page. */
export function toPage<Item>(
  found: readonly Item[],
  limit: number,
  filter: unknown,
  toKey: (item: Item) => SortKey,
): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, next_cursor: found.length > limit && last !== undefined ? formatCursor(filter, toKey(last)) : null }
}

function decode(text: string): unknown[] {
  const value = parseJsonIfValid(Buffer.from(text, 'base64url').toString('utf8'))
  return Array.isArray(value) ? value : []
}

function hashFilter(filter: unknown): string {
  return createHash('sha256').update(JSON.stringify(filter)).digest('base64url').slice(0, 12)
}

function invalid(detail: string): ApiProblem {
  return new ApiProblem(404, 'cursor_invalid', detail, { errors: [{ pointer: '/query/cursor', detail }] })
}
