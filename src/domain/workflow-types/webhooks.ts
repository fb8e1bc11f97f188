// The workflow of one delivery of a webhook, and its activity.
import type { WebhookMessage } from '../webhook/webhook.ts'

export const WEBHOOK_WORKFLOW = 'deliverWebhook'

export interface DeliverWebhookInput {
  readonly webhookId: string
  readonly message: WebhookMessage
  /** The task queue of the home whose store has the webhook. */
  readonly homeQueue: string
  /** How long after each failed try the next one follows. */
  readonly retryAfterSeconds: readonly number[]
}

export type WebhookTry =
  | { readonly kind: 'delivered'; readonly status: number }
  /** `because` of its answer, or of none. */
  | { readonly kind: 'failed'; readonly because: string }
  /** The webhook is removed or disabled, or must not be sent there: no try will help. */
  | { readonly kind: 'dropped'; readonly because: string }

export type DeliveryOutcome = WebhookTry & { readonly tries: number }

export interface WebhookActivities {
  sendWebhook(input: Pick<DeliverWebhookInput, 'webhookId' | 'message'>): Promise<WebhookTry>
}

/** The same delivery is begun once, however often somebody tries. */
export function toDeliveryId(webhookId: string, { message_id }: Pick<WebhookMessage, 'message_id'>): string {
  return `webhook/${webhookId}/${message_id}`
}
