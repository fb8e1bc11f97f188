import { Webhook, WebhookMessage } from '../../domain/webhook/webhook.ts'
import type { WebhookTable } from '../webhooks.ts'
import { fromRow, toRow } from './row-mapping.ts'
import type { StoreContext } from './tables.ts'

export function createWebhookTable({ db, now }: StoreContext): WebhookTable {
  return { add, get, list, remove, disable, noteTry, listMessages, removeMessages }

  async function add(webhook: Webhook): Promise<void> {
    await db.insertInto('webhooks').values(toRow(webhook)).execute()
  }

  async function get(webhookId: string): Promise<Webhook | undefined> {
    const row = await db.selectFrom('webhooks').selectAll().where('webhook_id', '=', webhookId).executeTakeFirst()
    return row && fromRow(Webhook, row)
  }

  async function list(): Promise<Webhook[]> {
    const rows = await db.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('webhook_id').execute()
    return rows.map((row) => fromRow(Webhook, row))
  }

  async function remove(webhookId: string): Promise<boolean> {
    const found = await get(webhookId)
    await db.deleteFrom('webhooks').where('webhook_id', '=', webhookId).execute()
    return found !== undefined
  }

  async function disable(webhookId: string, because: string): Promise<void> {
    await db
      .updateTable('webhooks')
      .set({ disabled_at: now(), disabled_because: because })
      .where('webhook_id', '=', webhookId)
      .where('disabled_at', 'is', null)
      .execute()
  }

  async function noteTry(webhookId: string, result: string): Promise<void> {
    await db
      .updateTable('webhooks')
      .set({ last_tried_at: now(), last_result: result })
      .where('webhook_id', '=', webhookId)
      .execute()
  }

  async function listMessages(limit: number): Promise<readonly WebhookMessage[]> {
    const rows = await db.selectFrom('webhook_messages').selectAll().orderBy('number').limit(limit).execute()
    return rows.map(({ number: _, ...row }) => fromRow(WebhookMessage, row))
  }

  async function removeMessages(messages: readonly WebhookMessage[]): Promise<void> {
    const ids = messages.map(({ message_id }) => message_id)
    if (ids.length > 0) await db.deleteFrom('webhook_messages').where('message_id', 'in', ids).execute()
  }
}
