// What GitHub posts: that something has happened on a pull request. It needs no token, but GitHub's signature of every byte.
import { z } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { isSignedByGitHub, receiveGitHubEvent } from '../../app/forge/receive-event.ts'
import type { Api, ServerContext } from '../context.ts'
import { defineRoute, jsonContent } from '../define-route.ts'
import type { ApiEnv } from '../env.ts'
import { ApiProblem } from '../problem.ts'

/** Two texts of the most that GitHub takes, escaped in the longest way, and much beside them. */
const MAX_BYTES = 4 * 1_048_576

const DeliveryHeaders = z.object({
  'x-github-event': z.string().regex(/^[a-z_]{1,60}$/),
  'x-github-delivery': z.string().regex(/^[\w-]{8,100}$/),
  'x-hub-signature-256': z.string().max(100).openapi({ description: 'sha256= and the HMAC of the body' }),
})
const Received = z
  .object({ done: z.enum(['nothing', 'woken', 'started', 'repeated']), because: z.string().optional() })
  .openapi('ReceivedDelivery')

export function addGitHubRoutes(api: Api, server: ServerContext): void {
  api.openapi(
    defineRoute({
      method: 'post',
      path: '/api/github/webhook',
      operationId: 'receiveGitHubEvent',
      access: 'signed',
      tags: ['webhooks'],
      summary: 'For GitHub: that a comment was written on a pull request, or that it has changed',
      'x-max-body-bytes': MAX_BYTES,
      middleware: [checkSignature(server)] as const,
      request: {
        headers: DeliveryHeaders,
        body: { required: true, content: { 'application/json': { schema: z.looseObject({}) } } },
      },
      responses: { 202: jsonContent(Received, 'what follows from it; the rest is asked of GitHub') },
    }),
    async (c) => {
      const headers = c.req.valid('header')
      const delivery = { event: headers['x-github-event'], id: headers['x-github-delivery'] }
      const body = new Uint8Array(await c.req.arrayBuffer())
      const payload = c.req.valid('json')
      const { received, started } = await receiveGitHubEvent(server.app, { ...delivery, body, payload })
      c.set('command', started)
      return c.json(received, 202)
    },
  )
}

/** Nothing of the body is read before. */
function checkSignature({ app }: ServerContext): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const body = new Uint8Array(await c.req.arrayBuffer())
    if (await isSignedByGitHub(app, { body, signature: c.req.header('x-hub-signature-256') })) return await next()
    throw new ApiProblem(
      401,
      'signature_invalid',
      'X-Hub-Signature-256 is not that of this body with the secret of this home: "fixwright github doctor" says which counts',
    )
  }
}
