// ETags and the conditions of requests about them (RFC 9110). A change needs If-Match, so that nobody overwrites what they have not seen.
import { createHash } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import type { ApiContext } from './context.ts'
import { ApiProblem } from './problem.ts'

const TAG = /^"([\x21\x23-\x7e]*)"$/

/** Required, although a request without it is answered by its own status and not as one that is not well-formed. */
export const IfMatchHeader = z.object({
  'if-match': z
    .string()
    .max(200)
    .optional()
    .openapi({ param: { required: true }, description: 'the ETag of what was read, or * for any' }),
})

export const IfNoneMatchHeader = z.object({
  'if-none-match': z.string().max(2000).optional().openapi({ description: 'answers 304 while this ETag holds' }),
})

export const NOT_MODIFIED = { description: 'it is still as the asker has it' }

export function computeEtag(value: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`
}

/** The version in the tag. `*` stands for any version; a weak tag names none. */
export function requireIfMatch(header: string | undefined): string {
  if (header === undefined) {
    throw new ApiProblem(428, 'if_match_required', 'give the ETag of what you read in the header If-Match')
  }
  const text = header.trim()
  return text === '*' ? '*' : (TAG.exec(text)?.[1] ?? text)
}

/** Says which state this is. True where the asker has it already. */
export function isNotModified(c: Pick<ApiContext, 'header'>, header: string | undefined, etag: string): boolean {
  c.header('ETag', etag)
  const known = (header ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}
