// Webhooks: where they go, and a try. What they are told is in docs/api.md.
import { z } from '@hono/zod-openapi'
import { addWebhook, listWebhooks, removeWebhook, testWebhook } from '../../app/webhooks.ts'
import { Webhook, WebhookEventName } from '../../domain/webhook/webhook.ts'
import { type Api, actAsCaller, type ServerContext } from '../context.ts'
import { defineRoute, jsonBody, jsonContent } from '../define-route.ts'

const Overview = Webhook.omit({ secret: true }).openapi('Webhook')
const NewWebhook = z.object({ webhook: Overview, secret: z.string() }).openapi('NewWebhook')
const Outcome = z
  .object({
    kind: z.enum(['delivered', 'failed', 'dropped']),
    status: z.number().int().optional(),
    because: z.string().optional(),
    tries: z.number().int(),
  })
  .openapi('WebhookOutcome')
const WebhookParam = z.object({ webhook_id: z.string().min(1).max(60) })

const writing = { method: 'post' as const, access: 'operator' as const, tags: ['webhooks'] }

export function addWebhookRoutes(api: Api, server: ServerContext): void {
  api.openapi(
    defineRoute({
      method: 'get',
      path: '/api/webhooks',
      operationId: 'listWebhooks',
      access: 'operator',
      tags: ['webhooks'],
      summary: 'The webhooks, without their secrets',
      responses: { 200: jsonContent(z.object({ items: z.array(Overview) }), 'the oldest first') },
    }),
    async (c) => c.json({ items: [...(await listWebhooks(server.app))] }, 200),
  )
  api.openapi(
    defineRoute({
      ...writing,
      path: '/api/webhooks',
      operationId: 'addWebhook',
      summary: 'Tell an address of events',
      request: jsonBody(z.strictObject({ url: z.url().max(2000), events: z.array(WebhookEventName).min(1).max(3) })),
      responses: { 201: jsonContent(NewWebhook, 'the webhook; its secret is shown once') },
    }),
    async (c) => c.json(await addWebhook(actAsCaller(server, c), c.req.valid('json')), 201),
  )
  api.openapi(
    defineRoute({
      ...writing,
      path: '/api/webhooks/{webhook_id}/remove',
      operationId: 'removeWebhook',
      summary: 'Tell an address no more',
      request: { params: WebhookParam, ...jsonBody(z.strictObject({})) },
      responses: { 200: jsonContent(z.object({ removed: z.literal(true) }), 'it is gone') },
    }),
    async (c) => {
      await removeWebhook(server.app, c.req.valid('param').webhook_id)
      return c.json({ removed: true as const }, 200)
    },
  )
  api.openapi(
    defineRoute({
      ...writing,
      path: '/api/webhooks/{webhook_id}/test',
      operationId: 'testWebhook',
      summary: 'Post a signed webhook.test, once, and say what came of it',
      request: { params: WebhookParam, ...jsonBody(z.strictObject({})) },
      responses: { 200: jsonContent(Outcome, 'what came of it') },
    }),
    async (c) => c.json(await testWebhook(actAsCaller(server, c), c.req.valid('param').webhook_id), 200),
  )
}
