// Begins a delivery to each webhook of what the store wrote down. A message is removed when all its deliveries have begun; who dies
// between begins them again, and each begins once.
import type { Client } from '@temporalio/client'
import { awaitDelivery, startDelivery } from '../../client/webhook-deliveries.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Webhook, WebhookMessage } from '../../domain/webhook/webhook.ts'
import type { Logger } from '../../platform/logging/logger.ts'
import type { Store } from '../../store/store.ts'

const LOOK_EVERY_MS = 1_000
const PAUSE_AFTER_FAILURE_MS = 15_000
const AT_ONCE = 100
const FIRST_TRY_MS = 3_000

interface Dispatch {
  readonly store: Store
  readonly client: Client
  readonly settings: Settings['webhooks']
  readonly taskQueue: string
  readonly hostQueue: string
  readonly log: Logger
}

/** Returns how to end it. A home without webhooks pays one query a second. */
export function dispatchWebhooks(dispatch: Dispatch): () => Promise<void> {
  let running: Promise<void> | undefined
  let pausedUntil = 0
  const look = (): void => {
    if (running || performance.now() < pausedUntil) return
    running = beginDeliveries(dispatch)
      .catch((error: unknown) => {
        pausedUntil = performance.now() + PAUSE_AFTER_FAILURE_MS
        dispatch.log.warn('webhooks could not be begun, which is tried again', { error })
      })
      .finally(() => {
        running = undefined
      })
  }
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

async function beginDeliveries({ store, client, settings, taskQueue, hostQueue }: Dispatch): Promise<void> {
  const messages = await store.webhooks.listMessages(AT_ONCE)
  if (messages.length === 0) return
  const webhooks = await store.webhooks.list()
  const { retry_after_seconds: retryAfterSeconds } = settings
  const deliveries = messages.flatMap((message) =>
    webhooks
      .filter((webhook) => wants(webhook, message))
      .map(({ webhook_id: webhookId }) => ({ webhookId, message, homeQueue: hostQueue, retryAfterSeconds })),
  )
  for (const delivery of deliveries) await startDelivery(client, taskQueue, delivery)
  // Meanwhile the instance stays, so that a first try is made before it ends.
  await Promise.allSettled(deliveries.map((delivery) => awaitDelivery(client, delivery, FIRST_TRY_MS)))
  await store.webhooks.removeMessages(messages)
}

function wants({ events, created_at, disabled_at }: Webhook, { type, at }: WebhookMessage): boolean {
  return disabled_at === undefined && type !== 'webhook.test' && events.includes(type) && created_at <= at
}
