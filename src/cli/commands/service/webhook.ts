// `fixwright webhook`: makes, lists, removes and tries webhooks. A webhook's secret is shown once.
import {
  addWebhook,
  listWebhooks,
  removeWebhook,
  testWebhook,
  type WebhookOverview,
  type WebhookRequest,
} from '../../../app/webhooks.ts'
import { withApp } from '../../session/with-app.ts'
import { paint, print, printJson, printNotice } from '../../terminal/console.ts'
import { sanitizeLine } from '../../terminal/sanitize.ts'
import { formatAge, formatTable } from '../../terminal/table.ts'

interface Output {
  readonly json: boolean
}

export async function runWebhookAddCommand(request: WebhookRequest, { json }: Output): Promise<number> {
  return withApp(async (app) => {
    const { webhook, secret } = await addWebhook(app, request)
    if (json) printJson({ ...webhook, secret })
    else print(secret)
    printNotice(`webhook ${webhook.webhook_id} is told of ${webhook.events.join(', ')}`)
    printNotice('its secret is shown only now: the receiver checks signatures with it')
    return 0
  })
}

export async function runWebhookListCommand({ json }: Output): Promise<number> {
  return withApp(async (app) => {
    const webhooks = await listWebhooks(app)
    if (json) printJson(webhooks)
    else if (webhooks.length === 0) printNotice('there is no webhook yet; "fixwright webhook add" makes one')
    else print(formatTable(webhooks.map(toCells)))
    return 0
  })
}

export async function runWebhookRemoveCommand(id: string, { json }: Output): Promise<number> {
  return withApp(async (app) => {
    await removeWebhook(app, id)
    if (json) printJson({ webhook_id: id, removed: true })
    else printNotice(`webhook ${id} is told of nothing any more`)
    return 0
  })
}

export async function runWebhookTestCommand(id: string, { json }: Output): Promise<number> {
  return withApp(async (app) => {
    const outcome = await testWebhook(app, id)
    if (json) printJson(outcome)
    else if (outcome.kind === 'delivered') printNotice(`webhook ${id} answered ${outcome.status}`)
    else printNotice(`webhook ${id} did not take it: ${sanitizeLine(outcome.because)}`)
    return outcome.kind === 'delivered' ? 0 : 1
  })
}

function toCells({ webhook_id, url, events, disabled_because, last_tried_at, last_result }: WebhookOverview): string[] {
  const state = disabled_because === undefined ? paint('green', 'on', process.stdout) : `off: ${disabled_because}`
  const tried = last_tried_at === undefined ? 'never tried' : `${last_result} ${formatAge(last_tried_at)}`
  return [webhook_id, state, sanitizeLine(tried), events.join(','), sanitizeLine(url)]
}
