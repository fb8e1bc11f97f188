// Webhooks as in Standard Webhooks 1.0: what happened is posted to an address, thin, with an id, a time and a signature.
import { createHmac } from 'node:crypto'
import { z } from 'zod'

export const WebhookEventName = z.enum(['session.ended', 'decision.awaited', 'issue.changed'])
export type WebhookEventName = z.infer<typeof WebhookEventName>

/** What a delivery may be about: `webhook.test` is sent by hand. */
export const WebhookMessageType = z.enum([...WebhookEventName.options, 'webhook.test'])
export type WebhookMessageType = z.infer<typeof WebhookMessageType>

export const Webhook = z.object({
  webhook_id: z.string(),
  url: z.string(),
  events: z.array(WebhookEventName),
  /** It has to be at hand for each signature, so it can't be kept as a hash. */
  secret: z.string(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  disabled_at: z.iso.datetime().optional(),
  disabled_because: z.string().optional(),
  /** Of the last try of any delivery. */
  last_tried_at: z.iso.datetime().optional(),
  last_result: z.string().optional(),
})
export type Webhook = z.infer<typeof Webhook>

/** Something that happened, as the store keeps it until a delivery to each webhook has begun. */
export const WebhookMessage = z.object({
  /** The same over all tries and all webhooks. */
  message_id: z.string(),
  type: WebhookMessageType,
  at: z.iso.datetime(),
  /** Ids and states, no text of people, agents or repositories. */
  data: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
})
export type WebhookMessage = z.infer<typeof WebhookMessage>

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

export function createWebhookSecret(random: (bytes: number) => Buffer): string {
  return `${SECRET_PREFIX}${random(SECRET_BYTES).toString('base64')}`
}

export function formatWebhookBody({ type, at, data }: WebhookMessage): string {
  return JSON.stringify({ type, timestamp: at, data })
}

/** The headers of one try. `now`: milliseconds since the epoch. */
export function signWebhook(secret: string, { message_id }: WebhookMessage, body: string, now: number) {
  const timestamp = `${Math.floor(now / 1000)}`
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${message_id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': message_id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}

/** Why no webhook may go there; undefined if one may. Addresses behind names are looked at with each delivery. */
export function findWebhookUrlProblem(text: string, allowedHosts: readonly string[]): string | undefined {
  const url = URL.parse(text)
  if (url === null || text.length > 2000) return 'it is no address, as https://hooks.example.com/fixwright'
  if (url.username !== '' || url.password !== '') return 'it holds a user or a password: the signature shows who sends'
  const isAllowed = allowedHosts.includes(toHostName(url))
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isAllowed)) return undefined
  return url.protocol === 'http:'
    ? `it is not https: the operator may name ${toHostName(url)} in webhooks.private_hosts`
    : 'it is neither https nor http'
}

/** Without the brackets of an IPv6 address. */
export function toHostName({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
