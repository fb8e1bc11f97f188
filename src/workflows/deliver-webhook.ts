// One delivery of a webhook as a workflow: tries it, waits longer after each failure, and outlives every process meanwhile.
import { proxyActivities, sleep } from '@temporalio/workflow'
import type { DeliverWebhookInput, DeliveryOutcome, WebhookActivities } from '../domain/workflow-types/index.ts'

/** A receiver that was down is not to get all that waited for it at once. */
const MAX_JITTER = 0.1

export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliveryOutcome> {
  const { webhookId, message, homeQueue, retryAfterSeconds } = input
  const { sendWebhook } = proxyActivities<WebhookActivities>({
    taskQueue: homeQueue,
    summary: `${message.type} to ${webhookId}`,
    // Longer than any try. An answer of the receiver is no failure of the activity: only trouble of ours is tried again by Temporal.
    startToCloseTimeout: '2 minutes',
    // A worker that was killed during a try is noticed after this time, and a successor makes the try again.
    heartbeatTimeout: '6s',
    retry: { initialInterval: '1s', maximumInterval: '1 minute' },
  })
  for (let tries = 1; ; tries += 1) {
    const outcome = await sendWebhook({ webhookId, message })
    const seconds = retryAfterSeconds[tries - 1]
    if (outcome.kind !== 'failed' || seconds === undefined) return { ...outcome, tries }
    await sleep(seconds * 1000 * (1 + Math.random() * MAX_JITTER))
  }
}
