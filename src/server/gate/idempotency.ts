// Idempotency keys of requests that start or create (draft-ietf-httpapi-idempotency-key-header). Only what was done is kept: a request that
// was refused, or that failed, may be sent again with its key.
import type { MiddlewareHandler } from 'hono'
import { claimRequestKey, type RepeatableAnswer } from '../../app/access/request-keys.ts'
import { IDEMPOTENCY_KEY } from '../../domain/access/request-key.ts'
import type { ServerContext } from '../context.ts'
import type { ApiEnv } from '../env.ts'
import { ApiProblem } from '../problem.ts'
import { readBearerToken } from './gate.ts'

export const REPLAYED_HEADER = 'Idempotency-Replayed'
const KEPT_HEADERS = ['content-type', 'etag', 'location']

/** A change by PATCH has If-Match for this, and what needs no token is never kept. */
export function createIdempotency({ app }: Pick<ServerContext, 'app'>): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined || c.req.method !== 'POST' || c.get('caller') === undefined) return await next()
    if (!IDEMPOTENCY_KEY.test(key)) {
      const detail = 'must be 1 to 255 visible characters of ASCII'
      throw new ApiProblem(400, 'bad_input', `the Idempotency-Key ${detail}`, {
        errors: [{ pointer: '/header/idempotency-key', detail }],
      })
    }
    const { pathname, search } = new URL(c.req.url)
    const body = new Uint8Array(await c.req.arrayBuffer())
    const content = Buffer.concat([Buffer.from(`${pathname}${search}\n`), body])
    const claim = await claimRequestKey(app, { token: readBearerToken(c), key, content })
    if (claim.kind === 'other_request') {
      throw new ApiProblem(
        422,
        'idempotency_key_reused',
        'this Idempotency-Key belongs to another request: make a new one',
      )
    }
    if (claim.kind === 'in_flight') {
      throw new ApiProblem(409, 'request_in_flight', 'the request with this Idempotency-Key is not answered yet', {
        headers: { 'Retry-After': '1' },
      })
    }
    if (claim.kind === 'answered') return repeat(claim.answer)
    let answer: RepeatableAnswer | undefined
    try {
      await next()
      answer = await readAnswer(c.res)
    } finally {
      await (answer === undefined ? claim.release() : claim.keep(answer))
    }
  }
}

function repeat({ status, headers, body }: RepeatableAnswer): Response {
  return new Response(body, { status, headers: { ...headers, [REPLAYED_HEADER]: 'true' } })
}

async function readAnswer(response: Response): Promise<RepeatableAnswer | undefined> {
  if (!response.ok) return undefined
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return { status: response.status, headers: Object.fromEntries(headers), body: await response.clone().text() }
}
