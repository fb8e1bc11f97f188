// The client for scripts that have a connection to Temporal and nothing else: no home, no store, no command. It orders sessions and talks to
// them. An order whose work another session is doing is that session from then on.
import { ApplicationFailure, type Client, WorkflowFailedError } from '@temporalio/client'
import { ERROR_CODES, type ErrorCode } from '../domain/errors/error-codes.ts'
import { RefusedError } from '../domain/errors/fixwright-error.ts'
import type { MessageInput } from '../domain/people/message-schemas.ts'
import type { JoinedSummary, SessionSummary, SessionView } from '../domain/protocol/index.ts'
import { ORDER_QUEUE, SESSION_WORKFLOW } from '../domain/protocol/names.ts'
import { hashJson } from '../domain/session/idempotency-key.ts'
import type { Order } from '../domain/session/order.ts'
import { describeWorkflow } from './describe-workflow.ts'
import { type MessageResult, sendAnswers, sendCancel, sendPlanDecision, sendScopeDecision } from './session-messages.ts'
import { querySessionView } from './session-workflow.ts'

export interface SessionClientOptions {
  /** Where orders are taken: the setting `temporal.task_queue` of the workers. */
  readonly taskQueue?: string
}

export interface OrderOptions {
  /** By default made from the order: the same order twice, while the first is at work, is one workflow. */
  readonly workflowId?: string
}

/** A message is answered by the session's workflow; where no worker answers in time, Temporal keeps it as a signal (`sent`). */
export interface SessionHandle {
  /** As it was ordered. The session may have another: `view` and `result` say which session it is. */
  readonly workflowId: string
  view(): Promise<SessionView>
  answer(message: MessageInput<'answerClarification'>): Promise<MessageResult>
  decidePlan(message: MessageInput<'decidePlan'>): Promise<MessageResult>
  decideScope(message: MessageInput<'decideScope'>): Promise<MessageResult>
  cancel(message?: MessageInput<'cancel'>): Promise<MessageResult>
  /** Waits for the end. An order that was refused is thrown as a `RefusedError` with its code and its problems. */
  result(): Promise<SessionSummary>
}

export interface SessionClient {
  /** Returns when Temporal has the order. What a worker makes of it is told by `result`. */
  start(order: Order, options?: OrderOptions): Promise<SessionHandle>
  /** A session or an order that somebody has started. */
  session(workflowId: string): SessionHandle
}

export function createSessionClient(
  client: Client,
  { taskQueue = ORDER_QUEUE }: SessionClientOptions = {},
): SessionClient {
  return { start, session }

  async function start(order: Order, { workflowId = toOrderId(order) }: OrderOptions = {}): Promise<SessionHandle> {
    await client.workflow.start(SESSION_WORKFLOW, {
      workflowId,
      taskQueue,
      args: [order],
      // A worker that dies in the middle of a task holds it for so long; a task takes milliseconds.
      workflowTaskTimeout: '3s',
      staticSummary: `fix what was found in ${order.repository}`.slice(0, 130),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    })
    return session(workflowId)
  }

  function session(workflowId: string): SessionHandle {
    const at = () => findSessionWorkflow(client, workflowId)
    return {
      workflowId,
      view: async () => await querySessionView(client, await at()),
      answer: async (message) => await sendAnswers(client, await at(), message),
      decidePlan: async (message) => await sendPlanDecision(client, await at(), message),
      decideScope: async (message) => await sendScopeDecision(client, await at(), message),
      cancel: async (message) => await sendCancel(client, await at(), message),
      async result() {
        const summary = await waitForSummary(client, workflowId)
        return summary.status === 'joined' ? await session(summary.workflowId).result() : summary
      },
    }
  }
}

function toOrderId(order: Order): string {
  return `fix-order/${hashJson(order).slice(0, 32)}`
}

/** Of an order that joined another session, that session's. */
async function findSessionWorkflow(client: Client, workflowId: string): Promise<string> {
  const found = await describeWorkflow(client, workflowId)
  if (found?.status.name !== 'COMPLETED') return workflowId
  const summary = await waitForSummary(client, workflowId)
  return summary.status === 'joined' ? summary.workflowId : workflowId
}

async function waitForSummary(client: Client, workflowId: string): Promise<SessionSummary | JoinedSummary> {
  try {
    return await client.workflow.getHandle(workflowId).result()
  } catch (error) {
    throw toRefusedError(error) ?? error
  }
}

function toRefusedError(error: unknown): RefusedError | undefined {
  const cause = error instanceof WorkflowFailedError ? error.cause : undefined
  if (!(cause instanceof ApplicationFailure) || !isErrorCode(cause.type)) return undefined
  const [problems] = cause.details ?? []
  return new RefusedError(cause.type, Array.isArray(problems) ? problems.map(String) : [cause.message])
}

function isErrorCode(type: string | null | undefined): type is ErrorCode {
  return typeof type === 'string' && Object.hasOwn(ERROR_CODES, type)
}
