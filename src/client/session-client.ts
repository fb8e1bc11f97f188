// The client for scripts that have only a connection to Temporal: no home, store or command. It orders sessions and
// talks to them. An order for work that a session already does joins that session.

import { ApplicationFailure, type Client, WorkflowFailedError } from '@temporalio/client'
import { ERROR_CODES, type ErrorCode } from '../domain/errors/error-codes.ts'
import { RefusedError } from '../domain/errors/fixwright-error.ts'
import type { MessageInput, MessageName } from '../domain/people/message-schemas.ts'
import { hashJson } from '../domain/session/idempotency-key.ts'
import type { Order, ReviewOrder, VotesOrder } from '../domain/session/parse-order.ts'
import type { SessionKind } from '../domain/session/session-kind.ts'
import { truncateText } from '../domain/text/truncate.ts'
import type { JoinedSummary, SessionSummary, SessionView } from '../domain/workflow-types/index.ts'
import { ORDER_QUEUE, SESSION_WORKFLOWS } from '../domain/workflow-types/temporal-names.ts'
import { describeWorkflow } from './describe-workflow.ts'
import { type MessageResult, sendSessionMessage } from './session-messages.ts'
import { querySessionView } from './session-workflow.ts'

export interface SessionClientOptions {
  /** The queue that takes orders: the workers' setting `temporal.task_queue`. */
  readonly taskQueue?: string
}

export interface OrderOptions {
  /** Default: derived from the order, so that an order repeated while the first one runs is the same workflow. */
  readonly workflowId?: string
}

/** The session's workflow answers messages; without a worker in time, Temporal keeps them as signals (`sent`). */
export interface SessionHandle {
  /** The order's workflow id. A joined session has another; `view` and `result` name the session. */
  readonly workflowId: string
  view(): Promise<SessionView>
  answer(message: MessageInput<'answerClarification'>): Promise<MessageResult>
  decidePlan(message: MessageInput<'decidePlan'>): Promise<MessageResult>
  decideScope(message: MessageInput<'decideScope'>): Promise<MessageResult>
  cancel(message?: MessageInput<'cancel'>): Promise<MessageResult>
  /** The step under way ends, and none begins before the session is resumed. */
  pause(message?: MessageInput<'pause'>): Promise<MessageResult>
  resume(message?: MessageInput<'resume'>): Promise<MessageResult>
  /** Waits for the end. A refused order throws a `RefusedError` with its code and problems. */
  result(): Promise<SessionSummary>
}

export interface SessionClient {
  /** Returns when Temporal has the order; `result` shows what a worker makes of it. */
  start(order: Order, options?: OrderOptions): Promise<SessionHandle>
  /** Orders a review of a change. */
  review(order: ReviewOrder, options?: OrderOptions): Promise<SessionHandle>
  /** Orders a review, and the fixing of what it confirms. */
  reviewFix(order: ReviewOrder, options?: OrderOptions): Promise<SessionHandle>
  /** Orders two votes on a change. */
  reviewPr(order: VotesOrder, options?: OrderOptions): Promise<SessionHandle>
  /** A session or an order that was already started. */
  session(workflowId: string): SessionHandle
}

type AnyOrder = Order | ReviewOrder | VotesOrder

const SUMMARIES: Readonly<Record<SessionKind, string>> = {
  fix: 'fix what was found in',
  review: 'review a change of',
  'review-fix': 'review and fix a change of',
  votes: 'vote on a change of',
}

export function createSessionClient(
  client: Client,
  { taskQueue = ORDER_QUEUE }: SessionClientOptions = {},
): SessionClient {
  return {
    start: (order, options) => begin('fix', order, options),
    review: (order, options) => begin('review', order, options),
    reviewFix: (order, options) => begin('review-fix', order, options),
    reviewPr: (order, options) => begin('votes', order, options),
    session,
  }

  async function begin(
    kind: SessionKind,
    order: AnyOrder,
    { workflowId = toOrderId(kind, order) }: OrderOptions = {},
  ): Promise<SessionHandle> {
    await client.workflow.start(SESSION_WORKFLOWS[kind], {
      workflowId,
      taskQueue,
      args: [order],
      // A worker that dies in the middle of a task blocks it for this long; a task takes milliseconds.
      workflowTaskTimeout: '3s',
      staticSummary: truncateText(`${SUMMARIES[kind]} ${order.repository}`, 130),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    })
    return session(workflowId)
  }

  function session(workflowId: string): SessionHandle {
    const at = () => findSessionWorkflow(client, workflowId)
    async function send<Name extends MessageName>(name: Name, message: MessageInput<Name>): Promise<MessageResult> {
      return await sendSessionMessage(client, await at(), name, message)
    }
    return {
      workflowId,
      view: async () => await querySessionView(client, await at()),
      answer: (message) => send('answerClarification', message),
      decidePlan: (message) => send('decidePlan', message),
      decideScope: (message) => send('decideScope', message),
      cancel: (message) => send('cancel', message ?? {}),
      pause: (message) => send('pause', message ?? {}),
      resume: (message) => send('resume', message ?? {}),
      async result() {
        const summary = await waitForSummary(client, workflowId)
        return summary.status === 'joined' ? await session(summary.workflowId).result() : summary
      },
    }
  }
}

function toOrderId(kind: SessionKind, order: AnyOrder): string {
  return `${kind}-order/${hashJson(order).slice(0, 32)}`
}

/** Returns the workflow id of the joined session if the order joined one. */
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
