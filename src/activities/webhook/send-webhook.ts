// One try to deliver a webhook: signed anew, to an address that is looked at anew.
import { isIP } from 'node:net'
import type { Settings } from '../../domain/settings/schema.ts'
import { formatWebhookBody, signWebhook, toHostName, WebhookMessage } from '../../domain/webhook/webhook.ts'
import type { WebhookActivities, WebhookTry } from '../../domain/workflow-types/index.ts'
import { type PostOutcome, post } from '../../platform/web/post.ts'
import type { Store } from '../../store/store.ts'
import { withHeartbeat } from '../index.ts'

const GONE = 410

export function createWebhookActivities(
  { webhooks }: Pick<Store, 'webhooks'>,
  settings: Settings['webhooks'],
): WebhookActivities {
  return { sendWebhook: (input) => withHeartbeat(({ signal }) => send(input, signal)) }

  async function send(
    { webhookId, message: given }: Parameters<WebhookActivities['sendWebhook']>[0],
    signal: AbortSignal,
  ): Promise<WebhookTry> {
    const message = WebhookMessage.parse(given)
    const webhook = await webhooks.get(webhookId)
    if (!webhook) return { kind: 'dropped', because: 'the webhook was removed' }
    if (webhook.disabled_at !== undefined) return { kind: 'dropped', because: 'the webhook is disabled' }
    const { url, secret } = webhook
    const body = formatWebhookBody(message)
    const outcome = await post({
      url,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Fixwright-Webhook',
        ...signWebhook(secret, message, body, Date.now()),
      },
      timeoutMs: settings.timeout_seconds * 1000,
      mayBePrivate: settings.private_hosts.includes(toHostName(new URL(url))),
      signal,
    })
    // A try that the end of this worker cut short says nothing of the receiver: the next worker makes it.
    if (outcome.kind !== 'answered') signal.throwIfAborted()
    const tried = toTry(outcome, isIP(toHostName(new URL(url))) !== 0)
    await webhooks.noteTry(webhookId, tried.kind === 'delivered' ? `${tried.status}` : tried.because)
    if (outcome.kind === 'answered' && outcome.status === GONE) await webhooks.disable(webhookId, 'it answered 410')
    return tried
  }
}

/** What a name leads to changes, and a wrong answer of DNS passes; what an address is stays. */
function toTry(outcome: PostOutcome, isToAddress: boolean): WebhookTry {
  if (outcome.kind !== 'answered') {
    const isFinal = outcome.kind === 'refused' && isToAddress
    return { kind: isFinal ? 'dropped' : 'failed', because: outcome.reason }
  }
  const { status } = outcome
  if (status >= 200 && status < 300) return { kind: 'delivered', status }
  return { kind: status === GONE ? 'dropped' : 'failed', because: `it answered ${status}` }
}
