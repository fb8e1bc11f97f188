// Starts deliveries of webhooks, each a workflow of its own.
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import {
  type DeliverWebhookInput,
  type DeliveryOutcome,
  toDeliveryId,
  WEBHOOK_WORKFLOW,
} from '../domain/workflow-types/index.ts'

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

export async function awaitDelivery(client: Client, input: DeliverWebhookInput): Promise<DeliveryOutcome> {
  return await client.workflow.getHandle(toDeliveryId(input.webhookId, input.message)).result()
}
