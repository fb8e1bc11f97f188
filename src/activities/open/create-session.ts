// Creates a session from an order, or answers the order without one. The checks are those that `fix` makes before it
// begins; a retry finds an earlier attempt's session by its id.
import { activityInfo } from '@temporalio/activity'
import type { Refusal } from '../../domain/errors/fixwright-error.ts'
import { logStartNotes } from '../../domain/session/events/logs/session-logs.ts'
import { fixSessionJoined } from '../../domain/session/events/session-events.ts'
import { deriveOrderSessionId } from '../../domain/session/idempotency-key.ts'
import { parseOrder, toOrderWords } from '../../domain/session/parse-order.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { createChildTrace } from '../../domain/session/trace-context.ts'
import { formatBranchTaken } from '../../domain/text/branch-names.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { CreateSessionInput, CreateSessionOutcome } from '../../domain/workflow-types/index.ts'
import { toSessionKind } from '../../domain/workflow-types/temporal-names.ts'
import type { NewSession } from '../../store/sessions.ts'
import { appendEvents } from '../append-events.ts'
import { toSessionSummary } from '../close/close-session.ts'
import type { ActivityContext, OrderPorts } from '../context.ts'

/** The workflow's history keeps all problems. */
const MAX_PROBLEMS = 50
const MAX_PROBLEM_CHARACTERS = 1_000

export async function createSession(
  context: ActivityContext,
  { order }: CreateSessionInput,
): Promise<CreateSessionOutcome> {
  const { store, orders } = context
  const { workflowExecution, workflowType = '', scheduledTimestampMs: orderedAt } = activityInfo()
  if (!orders || !workflowExecution) throw new Error('this worker takes no orders')
  const sessionId = deriveOrderSessionId(workflowExecution)
  const earlier = await store.sessions.get(sessionId)
  if (earlier) return toCreated(context, earlier)

  const parsed = parseOrder(order, toSessionKind(workflowType))
  if (parsed.kind === 'refused') return refuse('bad_input', parsed.problems)
  const { ordered } = parsed
  const lookedAt = new Date()
  const checked = await orders.check(ordered)
  if (checked.kind === 'refused') return refuse(checked.code, checked.problems)
  if (checked.kind !== 'ready') return { kind: 'answered', summary: toSessionSummary(checked.result) }

  const { findings, reviewText, obstacle, notes } = checked.prepared
  const { workflowId: workflow_id, runId: run_id } = workflowExecution
  const trace = createChildTrace(undefined)
  const session = { ...checked.prepared.session, session_id: sessionId, workflow_id, run_id, trace }
  await orders.closeOrphans()
  if (ordered.kind === 'fix' && ordered.order.force) await cancelOtherSession(context, orders, { session, orderedAt })
  if (obstacle) {
    const [atWork] = await store.sessions.list({ key: session.key, running: true, limit: 1 })
    return atWork ? await joinSession(context, sessionId, atWork) : refuse(obstacle.code, obstacle.problems)
  }
  if (reviewText !== undefined) await context.artifacts.put(reviewText)
  const begun = await store.createSession(session, findings, lookedAt)
  switch (begun.kind) {
    case 'same_work':
      return await joinSession(context, sessionId, begun.session)
    case 'same_branch':
      return refuse('branch_unusable', [formatBranchTaken(`${session.branch_name}`, begun.session.session_id)])
    case 'repository_changed':
      throw new Error('the repository was registered meanwhile: the order is looked at again')
    case 'outdated':
      throw new Error(`session ${begun.session.session_id} of this work has just ended: the order is looked at again`)
    case 'begun':
      await appendEvents(context, sessionId, logStartNotes(notes))
      return toCreated(context, begun.session)
  }
}

/** Only a session from before this order: one that another order or command began since is joined. */
async function cancelOtherSession(
  { store }: ActivityContext,
  orders: OrderPorts,
  { session, orderedAt }: { readonly session: NewSession; readonly orderedAt: number },
): Promise<void> {
  const [other] = await store.sessions.list({ key: session.key, running: true, limit: 1 })
  if (other === undefined || other.session_id === session.session_id || Date.parse(other.started_at) >= orderedAt)
    return
  const messages = await store.messages.listForSession(other.session_id)
  if (!messages.some(({ name, outcome }) => name === 'cancel' && outcome === 'taken'))
    await orders.cancel(other, session.session_id)
  throw new Error(
    `session ${other.session_id} is cancelled for this forced order, and ending: the order is looked at again`,
  )
}

async function joinSession(
  context: ActivityContext,
  orderedId: string,
  other: SessionRecord,
): Promise<CreateSessionOutcome> {
  const { session_id: sessionId, workflow_id: workflowId, run_id } = other
  // The session is this order's own: an earlier attempt, which is still ending, created it.
  if (sessionId === orderedId) return toCreated(context, other)
  // An instance is about to start the session.
  if (run_id === undefined) throw new Error(`session ${sessionId} is about to be started: the order is looked at again`)
  const total = await context.store.agentCalls.sumSpending(sessionId)
  await appendEvents(context, sessionId, [fixSessionJoined(orderedId, total)])
  return { kind: 'answered', summary: { sessionId, status: 'joined', workflowId } }
}

function toCreated(
  context: ActivityContext,
  { session_id, repository_name, result }: SessionRecord,
): CreateSessionOutcome {
  // The session ended before this answer: somebody stopped it or found its workflow gone.
  if (result) return { kind: 'answered', summary: toSessionSummary(result) }
  return {
    kind: 'created',
    sessionId: session_id,
    homeQueue: context.hostQueue,
    repository: repository_name,
    attributes: context.searchAttributes,
  }
}

function refuse(code: Refusal['code'], problems: readonly string[]): Refusal {
  const words = problems.slice(0, MAX_PROBLEMS).map(toOrderWords)
  const shown = words.map((problem) => truncateText(problem, MAX_PROBLEM_CHARACTERS))
  const more = problems.length - shown.length
  return { kind: 'refused', code, problems: more > 0 ? [...shown, `and ${more} more`] : shown }
}
