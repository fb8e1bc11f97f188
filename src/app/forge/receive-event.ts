// Takes what GitHub posts. A delivery is believed in one thing only: that it is worth looking at a pull request or a comment. What they are
// is asked of GitHub, by the watch or by the command, and each command is done once, however many deliveries name its comment.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { toWebOrigin } from '../../domain/forge/forge-address.ts'
import { parseDelivery } from '../../domain/forge/parse-delivery.ts'
import { formatWatchId } from '../../domain/forge/watch-id.ts'
import { findWebhookSecret } from '../../integrations/forge/credential.ts'
import { claimRequestKey } from '../access/request-keys.ts'
import type { AppContext } from '../context.ts'
import { loadOwnSettings } from '../settings/load-settings.ts'

export interface GitHubDelivery {
  readonly event: string
  /** A delivery that GitHub sends again keeps its id. */
  readonly id: string
  readonly body: Uint8Array
  readonly payload: object
}

export interface ReceivedDelivery {
  readonly done: 'nothing' | 'woken' | 'started' | 'repeated'
  readonly because?: string | undefined
}

/** Who started what, for the audit. */
export interface StartedCommand {
  /** `github:LOGIN`, the name that the command's session has for its starter; undefined if the delivery names nobody. */
  readonly by: string | undefined
  /** The comment, as GitHub's own addresses name it. */
  readonly comment: string
}

export interface TakenDelivery {
  readonly received: ReceivedDelivery
  readonly started?: StartedCommand | undefined
}

/** False, too, where this home has no secret: then nobody's word counts. */
export async function isSignedByGitHub(
  app: AppContext,
  { body, signature = '' }: { readonly body: Uint8Array; readonly signature: string | undefined },
): Promise<boolean> {
  const { github } = await loadOwnSettings(app)
  const found = await findWebhookSecret(github, app.env)
  if (found === undefined) return false
  const expected = Buffer.from(`sha256=${createHmac('sha256', found.secret).update(body).digest('hex')}`)
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Each delivery once: one whose work failed is free again. */
export async function receiveGitHubEvent(app: AppContext, delivery: GitHubDelivery): Promise<TakenDelivery> {
  const { github } = await loadOwnSettings(app)
  const token = (await findWebhookSecret(github, app.env))?.secret ?? ''
  const claim = await claimRequestKey(app, { token, key: `github ${delivery.id}`, content: delivery.body })
  // The server that began with it may have been killed. A second time starts nothing twice.
  if (claim.kind === 'in_flight') return await actOn(app, delivery)
  if (claim.kind !== 'free') return nothingNew('a delivery of this id came before')
  let outcome: TakenDelivery | undefined
  try {
    outcome = await actOn(app, delivery)
    return outcome
  } finally {
    if (outcome === undefined) await claim.release()
    else await claim.keep({ status: 202, headers: {}, body: '' })
  }
}

function nothingNew(because: string): TakenDelivery {
  return { received: { done: 'repeated', because } }
}

async function actOn(app: AppContext, delivery: GitHubDelivery): Promise<TakenDelivery> {
  const wanted = parseDelivery(delivery)
  if (typeof wanted === 'string') return { received: { done: 'nothing', because: wanted } }
  const settings = await loadOwnSettings(app)
  const { github } = settings
  const { name, number } = wanted.pull
  const remote = `${toWebOrigin(github.host)}/${name}.git`
  const [{ client, instance }, { startPullCommand, wakeWatch }] = await Promise.all([
    app.instance.connect(settings),
    import('../../client/command-workflow.ts'),
  ])
  const { taskQueue, hostQueue: homeQueue } = instance
  const { commentId, sender } = wanted
  if (commentId !== undefined && github.commands) {
    const input = { homeQueue, remote, github, number, commentId, name: `${name}#${number}` }
    const isNew = await startPullCommand(client, taskQueue, input)
    if (!isNew) return nothingNew('this comment was seen before')
    const by = sender && `github:${sender}`
    return {
      received: { done: 'started' },
      started: { by, comment: `${name}/pull/${number}#issuecomment-${commentId}` },
    }
  }
  const isWatched = await wakeWatch(client, formatWatchId({ remote, number, repositoryId: '', branch: '' }))
  return {
    received: isWatched ? { done: 'woken' } : { done: 'nothing', because: 'nothing watches this pull request' },
  }
}
