// Checks an order from outside with the code of its command. An order may override a few of the operator's settings. It brings its findings and
// its review as data, so it makes the worker read no file of its machine but the repository.
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import type { Refusal } from '../domain/errors/fixwright-error.ts'
import { Finding } from '../domain/issue/parse-findings.ts'
import type { Order, SessionOrder } from '../domain/session/parse-order.ts'
import type { Settings } from '../domain/settings/schema.ts'
import type { Store } from '../store/store.ts'
import { type CheckContext, checkStart, type StartCheck } from './check-start.ts'
import { locateRepository } from './read-repository.ts'
import { checkReview } from './reviews/check-review.ts'
import { checkVotes } from './reviews/check-votes.ts'

export interface OrderContext extends CheckContext {
  readonly settings: Settings
}

export async function checkOrder(ordered: SessionOrder, context: OrderContext): Promise<StartCheck> {
  const { temporal, orders } = context.settings
  const located = await locateRepository({ repository: ordered.order.repository })
  if (located.kind === 'refused') return refuse('repository_unusable', located.problem)
  const { root } = located.repository
  if (orders.repositories && !orders.repositories.some((folder) => isInside(folder, root))) {
    const folders = orders.repositories.join(', ') || 'nowhere'
    return refuse(
      'repository_unusable',
      `${root} is not where this worker takes orders for (${folders}): orders.repositories`,
    )
  }
  // The session runs on the Temporal that the order came through, where its client looks for it.
  const flags = Object.fromEntries(Object.entries(temporal).map(([name, value]) => [`temporal.${name}`, value]))
  const here = { ...context, agents: { env: context.env, isInstance: true } }
  if (ordered.kind === 'fix') return await checkFixOrder(ordered.order, { context: here, root, flags })
  const { settings: orderedSettings, ...order } = ordered.order
  if (ordered.kind === 'votes') return await checkVotes(here, { ...order, flags, orderedSettings })
  return await checkReview(here, { ...order, fixes: ordered.kind === 'review-fix', flags, orderedSettings })
}

interface LocatedOrder {
  readonly context: CheckContext
  readonly root: string
  readonly flags: Readonly<Record<string, unknown>>
}

async function checkFixOrder(order: Order, { context, root, flags }: LocatedOrder): Promise<StartCheck> {
  const { issueIds = [], findings, settings = {}, allowDirty = false, force = false, ...more } = order
  const known = findings === undefined ? await loadKnownIssues(context.store, root, issueIds) : undefined
  if (known?.kind === 'refused') return known
  const which = known ? { findings: known.findings, task: known.task } : { findings: findings ?? [] }
  const input = { ...more, ...which, allowDirty, flags, orderedSettings: settings }
  return await checkStart(context, input, force)
}

type KnownIssues = { readonly kind: 'known'; readonly findings: readonly Finding[]; readonly task: string }

async function loadKnownIssues(store: Store, root: string, ids: readonly string[]): Promise<KnownIssues | Refusal> {
  const issues = await Promise.all(ids.map((id) => store.issues.get(id)))
  const missing = ids.filter((_, index) => issues[index]?.repository !== root)
  if (missing.length > 0) {
    return refuse('issue_not_found', ...missing.map((id) => `the worker knows no issue ${id} of ${root}`))
  }
  const known = issues.flatMap((issue) => issue ?? [])
  const [task = '', ...others] = new Set(known.map(({ task_id }) => task_id))
  if (others.length > 0) {
    const tasks = [task, ...others].join(', ')
    return refuse('issue_not_found', `the issues belong to several tasks (${tasks}): order those of each by themselves`)
  }
  return { kind: 'known', findings: known.map((issue) => Finding.parse(issue)), task }
}

/** Links are followed in `folder`, which may be one; `root` is a real path already. */
function isInside(folder: string, root: string): boolean {
  try {
    const way = relative(realpathSync(folder), root)
    return way === '' || !/^(\.\.(\/|$)|\/)/.test(way)
  } catch {
    return false
  }
}

function refuse(code: Refusal['code'], ...problems: readonly string[]): Refusal {
  return { kind: 'refused', code, problems }
}
