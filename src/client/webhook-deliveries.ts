// Starts deliveries of webhooks, each a workflow of its own.
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import {
  type DeliverWebhookInput,
  type DeliveryOutcome,
  toDeliveryId,
  WEBHOOK_WORKFLOW,
} from '../domain/workflow-types/index.ts'

const LOOK_MS = 100

/** Does nothing if it was started before. */
export async function startDelivery(client: Client, taskQueue: string, input: DeliverWebhookInput): Promise<void> {
  try {
    await client.workflow.start(WEBHOOK_WORKFLOW, {
      workflowId: toDeliveryId(input.webhookId, input.message),
      taskQueue,
      args: [input],
      staticSummary: `${input.message.type} to the webhook ${input.webhookId}`,
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

/** Undefined if it has not ended within this time; nothing asks for it any more then. */
export async function awaitDelivery(
  client: Client,
  input: DeliverWebhookInput,
  withinMs: number,
): Promise<DeliveryOutcome | undefined> {
  const over = performance.now() + withinMs
  const handle = client.workflow.getHandle(toDeliveryId(input.webhookId, input.message))
  // A worker's connection does not end a wait for the result when it is told to.
  while ((await handle.describe()).status.name === 'RUNNING') {
    if (performance.now() >= over) return undefined
    await delay(LOOK_MS)
  }
  return await handle.result()
}
