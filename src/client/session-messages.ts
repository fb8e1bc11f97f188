// Sends people's messages to a session as Temporal updates, which the workflow answers. If no worker answers in time,
// the message goes as a signal, which Temporal keeps until a worker comes; the event log then shows the outcome.
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { MESSAGE_REFUSALS, type MessageRefusal, type MessageRefusalCode } from '../domain/errors/error-codes.ts'
import { type MessageInput, type MessageName, parseMessage } from '../domain/people/message-schemas.ts'
import { formatSealedText, type SenderSeal } from '../domain/people/sender-seal.ts'
import { describeScriptHost, getLocalUser } from './caller-identity.ts'
import { describeWorkflow, getFirstRunId, readSessionMemo } from './describe-workflow.ts'

/** The outcome of a message. Only `taken` changed something; `sent` is taken or refused when a worker reads it. */
export type MessageResult =
  | { readonly kind: 'taken' | 'repeated'; readonly response: string }
  | MessageRefusal
  | { readonly kind: 'sent' }
  | { readonly kind: 'ended' }

export interface SendOptions {
  /** The intended session: a later session of the same work has the same workflow id. */
  readonly sessionId?: string | undefined
  /** The time for a worker to answer before the message goes as a signal. Default: 10 s, or 1 s without a worker. */
  readonly answerWithinMs?: number | undefined
  /** Signs a text with the key of the home, where the sender was checked. Otherwise the sender is recorded as a claim. */
  readonly sign?: ((text: string) => string) | undefined
}

const ANSWER_WITHIN_MS = 10_000
const ANSWER_WITHOUT_WORKER_MS = 1_000
/** A worker polls at least once a minute. The server remembers a killed worker for some minutes. */
const RECENT_POLL_MS = 75_000
const WORKFLOW_QUEUE = 1

/**
 * All of a message counts or none of it: if a part is refused, everything stays as it was. A plan that is edited is then
 * shown again.
 */
export async function sendSessionMessage<Name extends MessageName>(
  client: Client,
  workflowId: string,
  name: Name,
  message: MessageInput<Name>,
  { sessionId, answerWithinMs, sign }: SendOptions = {},
): Promise<MessageResult> {
  const full = { by: getLocalUser(), from: describeScriptHost(), ...message }
  const read = parseMessage(name, full)
  if (read.kind === 'refused') return read
  const signed = sign === undefined ? full : sealMessage(workflowId, name, full, sign)
  for (;;) {
    const found = await describeWorkflow(client, workflowId)
    if (found?.status.name !== 'RUNNING' || isOtherSession(found, sessionId)) return { kind: 'ended' }
    const patience = answerWithinMs ?? (await chooseAnswerTimeout(client, found.taskQueue))
    const handle = client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId: getFirstRunId(found) })
    const result = await updateOrSignal(client, handle, name, signed, patience)
    // The run has just ended, or continued as a new run.
    if (result) return result
  }
}

function sealMessage(workflowId: string, name: MessageName, message: object, sign: (text: string) => string): object {
  const at = Date.now()
  const seal: SenderSeal = { at, signature: sign(formatSealedText(workflowId, name, message, at)) }
  return { ...message, seal }
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
    return { kind: outcome, response }
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
  // The session took the message and ended before it could answer.
  const wasTaken = cause instanceof ApplicationFailure && cause.type === 'AcceptedUpdateCompletedWorkflow'
  return wasTaken
    ? { kind: 'taken', response: 'the session ended with it' }
    : { kind: 'refused', code: toRefusalCode(cause), reason: cause?.message ?? message }
}

/** The type of the failure, unless a session of an earlier version said no. */
function toRefusalCode(cause: Error | undefined): MessageRefusalCode {
  const type = cause instanceof ApplicationFailure ? cause.type : undefined
  return MESSAGE_REFUSALS.find((code) => code === type) ?? 'message_refused'
}

/** An order's memo names its session only after a moment. */
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
