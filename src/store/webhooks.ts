import type { Webhook, WebhookMessage } from '../domain/webhook/webhook.ts'

/** Where webhooks go, and what has happened that they have to be told. */
export interface WebhookTable {
  add(webhook: Webhook): Promise<void>
  get(webhookId: string): Promise<Webhook | undefined>
  /** The oldest comes first. */
  list(): Promise<Webhook[]>
  /** Returns whether there was one. */
  remove(webhookId: string): Promise<boolean>
  /** The first reason stays. */
  disable(webhookId: string, because: string): Promise<void>
  noteTry(webhookId: string, result: string): Promise<void>
  /** What happened while there was a webhook, the oldest first; the store itself writes it down with each change. */
  listMessages(limit: number): Promise<readonly WebhookMessage[]>
  removeMessages(messages: readonly WebhookMessage[]): Promise<void>
}
