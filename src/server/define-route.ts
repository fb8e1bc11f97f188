// A route as the gate, the handler and the OpenAPI document know it: one description.
import { createRoute, type RouteConfig, z } from '@hono/zod-openapi'
import type { Role } from '../domain/access/access-token.ts'
import { IDEMPOTENCY_KEY } from '../domain/access/request-key.ts'

export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .loose()
  .openapi('Problem')

/** `signed`: without a token, but its route checks a signature of the body before anything else. */
export type Access = Role | 'public' | 'signed'

export function needsToken(access: Access): access is Role {
  return access !== 'public' && access !== 'signed'
}

interface RouteExtras {
  /** Who may call it. */
  readonly access: Access
  readonly summary: string
  readonly operationId: string
}

const problemContent = { 'application/problem+json': { schema: Problem } }

/** All refusals and failures of all routes have the same form. */
const PROBLEM_RESPONSES = {
  '4XX': { description: 'refused: the problem says why', content: problemContent },
  '5XX': { description: 'failed: the problem says what', content: problemContent },
} as const

const IdempotencyHeader = z.object({
  'idempotency-key': z.string().regex(IDEMPOTENCY_KEY).optional().openapi({
    description: 'the same answer for the same request with this key, for a day',
  }),
})

export function defineRoute<
  Path extends string,
  Config extends Omit<RouteConfig, 'path'> & RouteExtras & { readonly path: Path },
>(config: Config) {
  const { access, ...described } = config
  const route = {
    ...described,
    'x-access': access,
    ...(needsToken(access) ? {} : { security: [] }),
    // The gate reads the header of every request that starts or creates something.
    ...(config.method === 'post' && needsToken(access)
      ? { request: { ...config.request, headers: IdempotencyHeader } }
      : {}),
    responses: { ...config.responses, ...PROBLEM_RESPONSES },
  }
  // The handler's type is that of what was given: it answers with no problem, it throws one.
  return createRoute<Path, Config>(route as unknown as Config)
}

export function jsonContent<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } }
}

export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { body: { required: true, content: { 'application/json': { schema } } } }
}

/** A page's size in a query. */
export const LimitParam = z
  .string()
  .regex(/^\d{1,3}$/)
  .transform(Number)
  .pipe(z.number().int().min(1).max(200))
  .default(50)
  .openapi({ type: 'integer', minimum: 1, maximum: 200, default: 50 })

/** One that is well-formed and leads to no page of the list is not found. */
export const CursorParam = z
  .string()
  .max(2000)
  .regex(/^[A-Za-z0-9_-]+$/)
  .optional()

export function toPageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() })
}

export const SessionParam = z.object({ session_id: z.string().min(1).max(100) })
