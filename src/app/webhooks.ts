// Makes, lists, removes and tries webhooks. Their deliveries are the instance's work.
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { FixwrightError } from '../domain/errors/fixwright-error.ts'
import {
  createWebhookSecret,
  findWebhookUrlProblem,
  toHostName,
  type Webhook,
  WebhookEventName,
} from '../domain/webhook/webhook.ts'
import type { DeliverWebhookInput, DeliveryOutcome } from '../domain/workflow-types/index.ts'
import { findAddressProblem } from '../platform/web/address-rules.ts'
import type { AppContext } from './context.ts'
import { loadOwnSettings } from './settings/load-settings.ts'

export type WebhookOverview = Omit<Webhook, 'secret'>

export interface CreatedWebhook {
  readonly webhook: WebhookOverview
  /** Nobody can read it again. */
  readonly secret: string
}

export interface WebhookRequest {
  readonly url: string
  readonly events: readonly string[]
}

const ID_BYTES = 8
/** For a worker to take a try, and to say what came of it. */
const BEYOND_TRY_SECONDS = 5

export async function addWebhook(app: AppContext, { url, events }: WebhookRequest): Promise<CreatedWebhook> {
  const { private_hosts } = (await loadOwnSettings(app)).webhooks
  const asked = events.map((event) => WebhookEventName.safeParse(event))
  const problems = [
    describeUrlProblem(url, private_hosts),
    events.length === 0 || asked.some(({ success }) => !success)
      ? `the events must be some of ${WebhookEventName.options.join(', ')}`
      : undefined,
  ].filter((problem) => problem !== undefined)
  if (problems.length > 0) throw new FixwrightError('bad_input', problems.join('; '))
  const webhook: Webhook = {
    webhook_id: `wh_${randomBytes(ID_BYTES).toString('hex')}`,
    url,
    events: [...new Set(asked.flatMap(({ data }) => data ?? []))],
    secret: createWebhookSecret(randomBytes),
    created_by: app.sender.by,
    created_at: new Date().toISOString(),
  }
  await app.store.webhooks.add(webhook)
  return { webhook: toOverview(webhook), secret: webhook.secret }
}

function describeUrlProblem(url: string, privateHosts: readonly string[]): string | undefined {
  const problem = findWebhookUrlProblem(url, privateHosts)
  if (problem !== undefined) return `the webhook can't go to ${url}: ${problem}`
  const host = toHostName(new URL(url))
  const refused = isIP(host) === 0 ? undefined : findAddressProblem(host, privateHosts.includes(host))
  return refused && `the webhook can't go there: ${refused}; the operator may name it in webhooks.private_hosts`
}

export async function listWebhooks({ store }: Pick<AppContext, 'store'>): Promise<readonly WebhookOverview[]> {
  return (await store.webhooks.list()).map(toOverview)
}

export async function removeWebhook({ store }: Pick<AppContext, 'store'>, webhookId: string): Promise<void> {
  if (!(await store.webhooks.remove(webhookId))) throw notFound(webhookId)
}

/** One try, whose outcome is awaited. */
export async function testWebhook(app: AppContext, webhookId: string): Promise<DeliveryOutcome> {
  if ((await app.store.webhooks.get(webhookId)) === undefined) throw notFound(webhookId)
  const settings = await loadOwnSettings(app)
  const [{ instance, client }, { awaitDelivery, startDelivery }] = await Promise.all([
    app.instance.connect(settings),
    import('../client/webhook-deliveries.ts'),
  ])
  const input: DeliverWebhookInput = {
    webhookId,
    message: {
      message_id: `msg_${randomBytes(12).toString('hex')}`,
      type: 'webhook.test',
      at: new Date().toISOString(),
      data: { webhook_id: webhookId },
    },
    homeQueue: instance.hostQueue,
    retryAfterSeconds: [],
  }
  await startDelivery(client, instance.taskQueue, input)
  const seconds = settings.webhooks.timeout_seconds + BEYOND_TRY_SECONDS
  const outcome = await awaitDelivery(client, input, seconds * 1000)
  if (outcome) return outcome
  throw new FixwrightError('instance_unavailable', `no worker has tried the webhook within ${seconds} s`)
}

function notFound(webhookId: string): FixwrightError {
  return new FixwrightError(
    'webhook_not_found',
    `there is no webhook ${webhookId}; "fixwright webhook list" shows them`,
  )
}

function toOverview({ secret: _, ...webhook }: Webhook): WebhookOverview {
  return webhook
}
