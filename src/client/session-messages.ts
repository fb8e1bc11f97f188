// What people tell a session: answers, decisions, the word to stop. It goes to the session's workflow as an update, which is answered:
// taken, or refused with the reason. Where no worker answers in time it goes as a signal of the same name: Temporal keeps that
// until a worker comes, and then the session's own log says what became of it.
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { type MessageInput, type MessageName, parseMessage } from '../domain/people/message-schemas.ts'
import { describeScriptHost, getLocalUser } from './caller-identity.ts'
import { describeWorkflow, getFirstRunId, readSessionMemo } from './describe-workflow.ts'

/** What became of a message. Only `taken` changed something; `sent` may still do so, or be refused, when a worker reads it. */
export type MessageResult =
  | { readonly kind: 'taken' | 'repeated'; readonly response: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'sent' }
  | { readonly kind: 'ended' }

export interface SendOptions {
  /** The session that is meant: a later one of the same work has the same workflow id. */
  readonly sessionId?: string | undefined
  /** How long a worker gets to answer before the message goes as a signal. Without it 10 s, or 1 s where none is there. */
  readonly answerWithinMs?: number | undefined
}

const ANSWER_WITHIN_MS = 10_000
const ANSWER_WITHOUT_WORKER_MS = 1_000
/** A worker asks for work at least once a minute; one that was killed is still remembered for some minutes. */
const RECENT_POLL_MS = 75_000
const WORKFLOW_QUEUE = 1

/**
 * Answers open questions of a session, by their ids (`FUNC-001-q1`); `skip: true` goes on without answers to the rest.
 * All of them count or none: one that is refused leaves every question as it was.
 */
export async function sendAnswers(
  client: Client,
  workflowId: string,
  message: MessageInput<'answerClarification'>,
  options?: SendOptions,
): Promise<MessageResult> {
  return await sendSigned(client, workflowId, 'answerClarification', message, options)
}

/** Approves the plan that is open, edits it (drop, order, notes; it is then shown again), or rejects it with a reason. */
export async function sendPlanDecision(
  client: Client,
  workflowId: string,
  message: MessageInput<'decidePlan'>,
  options?: SendOptions,
): Promise<MessageResult> {
  return await sendSigned(client, workflowId, 'decidePlan', message, options)
}

/** Lets changes outside of the scope pass, all or those of some paths, or rejects them. */
export async function sendScopeDecision(
  client: Client,
  workflowId: string,
  message: MessageInput<'decideScope'>,
  options?: SendOptions,
): Promise<MessageResult> {
  return await sendSigned(client, workflowId, 'decideScope', message, options)
}

/** Stops a session for good: what is committed stays, the attempt in work is taken back. */
export async function sendCancel(
  client: Client,
  workflowId: string,
  message: MessageInput<'cancel'> = {},
  options?: SendOptions,
): Promise<MessageResult> {
  return await sendSigned(client, workflowId, 'cancel', message, options)
}

async function sendSigned<Name extends MessageName>(
  client: Client,
  workflowId: string,
  name: Name,
  message: MessageInput<Name>,
  { sessionId, answerWithinMs }: SendOptions = {},
): Promise<MessageResult> {
  const signed = { by: getLocalUser(), from: describeScriptHost(), ...message }
  const read = parseMessage(name, signed)
  if (read.kind === 'refused') return read
  for (;;) {
    const found = await describeWorkflow(client, workflowId)
    if (found?.status.name !== 'RUNNING' || isOtherSession(found, sessionId)) return { kind: 'ended' }
    const patience = answerWithinMs ?? (await chooseAnswerTimeout(client, found.taskQueue))
    const handle = client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId: getFirstRunId(found) })
    const result = await updateOrSignal(client, handle, name, signed, patience)
    // It ended just now, or it went on in another run of itself.
    if (result) return result
  }
}

async function updateOrSignal(
  client: Client,
  handle: WorkflowHandle,
  name: MessageName,
  message: object,
  patienceMs: number,
): Promise<MessageResult | undefined> {
  try {
    const update = () => handle.executeUpdate<UpdateReply, [object]>(name, { args: [message] })
    const { outcome, response } = await client.withDeadline(Date.now() + patienceMs, update)
    return { kind: outcome, response: response }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    if (error instanceof WorkflowUpdateFailedError) return toMessageResult(error)
    if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error
  }
  try {
    await handle.signal(name, message)
    return { kind: 'sent' }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}

interface UpdateReply {
  readonly outcome: 'taken' | 'repeated'
  readonly response: string
}

function toMessageResult({ cause, message }: WorkflowUpdateFailedError): MessageResult {
  // The session took it, and ended before it could say so.
  const wasTaken = cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow'
  return wasTaken
    ? { kind: 'taken', response: 'the session ended with it' }
    : { kind: 'refused', reason: cause?.message ?? message }
}

/** An order says only after a moment which session it became. */
function isOtherSession(found: WorkflowExecutionDescription, sessionId: string | undefined): boolean {
  const running = readSessionMemo(found)
  return sessionId !== undefined && running !== undefined && running !== sessionId
}

async function chooseAnswerTimeout(client: Client, taskQueue: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_QUEUE,
  })
  const seen = (pollers ?? []).map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000)
  return seen.some((at) => at > Date.now() - RECENT_POLL_MS) ? ANSWER_WITHIN_MS : ANSWER_WITHOUT_WORKER_MS
}
