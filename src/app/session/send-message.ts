// Sends a message to a session and waits until the store shows its effect, so that readers see it and an unneeded
// instance does not mistake the session for one that still waits. Refused messages are recorded, too.
import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { describeScriptHost, getLocalUser } from '../../client/caller-identity.ts'
import type { MessageResult } from '../../client/session-messages.ts'
import { type MessageInput, type MessageName, parseMessage } from '../../domain/people/message-schemas.ts'
import type { OpenDecision, SessionRecord } from '../../domain/session/session.ts'
import type { Store } from '../../store/store.ts'
import type { AppContext } from '../context.ts'
import { loadSessionSettings } from '../settings/load-settings.ts'

export { hasChanges, parseMessage } from '../../domain/people/message-schemas.ts'

/** The outcome of a message; a refusal has a code. */
export type MessageOutcome =
  | Exclude<MessageResult, { kind: 'refused' }>
  | { readonly kind: 'refused'; readonly code: 'message_refused'; readonly reason: string }

interface MessageSender {
  readonly by?: string | undefined
  readonly from?: string | undefined
}

export interface MessageTarget {
  readonly store: Store
  readonly session: SessionRecord
  /** Called only if the session has not ended. */
  readonly client: () => Promise<Client>
  /** How long a worker has to answer, if the default does not fit: our own worker may still be starting. */
  readonly answerWithinMs?: number | undefined
}

const RECORDED_WITHIN_MS = 10_000
/** A newly started instance needs this long for its worker. */
const WORKER_START_MS = 20_000

export type UnsignedMessage<Name extends MessageName> = Omit<NonNullable<MessageInput<Name>>, 'by' | 'from'>

/** Signs the message with the app's sender; joins or starts an instance to send it. */
export async function sendToSession<Name extends MessageName>(
  app: AppContext,
  session: SessionRecord,
  name: Name,
  message: UnsignedMessage<Name>,
): Promise<MessageOutcome> {
  const { store, instance, sender } = app
  const client = async () =>
    (instance.current() ?? (await instance.connect(await loadSessionSettings(app, session)))).client
  const signed = { ...message, ...sender } as MessageInput<Name>
  const result = await sendMessage({ store, session, client, answerWithinMs: WORKER_START_MS }, name, signed)
  // The workflow may have been ended from outside without the store knowing yet.
  if (result.kind === 'ended') await instance.current()?.reconcile()
  return result.kind === 'refused' ? { ...result, code: 'message_refused' } : result
}

export async function sendMessage<Name extends MessageName>(
  { store, session, client, answerWithinMs }: MessageTarget,
  name: Name,
  message: MessageInput<Name>,
): Promise<MessageResult> {
  const { session_id, workflow_id } = session
  // An invalid message is not worth starting an instance.
  const read = parseMessage(name, message)
  if (read.kind === 'refused') return read
  const before = await store.sessions.get(session_id)
  if (before?.ended_at !== undefined) return await refuseAfterEnd(store, session_id, name, message as MessageSender)
  const connected = await client()
  const countBefore = (await store.messages.listForSession(session_id)).length
  const meant = addOpenRequest(name, message, before?.decision)
  const result = await dispatchMessage(connected, workflow_id, name, meant, {
    sessionId: session_id,
    answerWithinMs,
  })
  if (result.kind === 'ended') return await refuseAfterEnd(store, session_id, name, message as MessageSender)
  // A refused update leaves no trace in its workflow.
  if (result.kind === 'refused')
    await recordRefusedMessage(store, session_id, name, message as MessageSender, result.reason)
  if (result.kind === 'taken') await waitUntilRecorded(store, connected, before ?? session, countBefore)
  return result
}

const DECISION_KINDS: Partial<Record<MessageName, OpenDecision['kind']>> = {
  answerClarification: 'clarification',
  decidePlan: 'plan',
  decideScope: 'scope',
}

/** Adds the open request to a message that names none, so that the message never counts for a later one. */
function addOpenRequest<Name extends MessageName>(
  name: Name,
  message: MessageInput<Name>,
  decision: OpenDecision | undefined,
): MessageInput<Name> {
  const { request, decision: word } = (message ?? {}) as { readonly request?: string; readonly decision?: string }
  // An edit gets no request: its first copy opens a new request, and a repeat must still be recognized.
  const isFree = request !== undefined || word === 'edit'
  if (isFree || decision === undefined || decision.kind !== DECISION_KINDS[name]) return message
  return { ...message, request: decision.request } as MessageInput<Name>
}

async function dispatchMessage<Name extends MessageName>(
  client: Client,
  workflowId: string,
  name: Name,
  message: MessageInput<Name>,
  options: { readonly sessionId: string; readonly answerWithinMs: number | undefined },
): Promise<MessageResult> {
  const { sendAnswers, sendPlanDecision, sendScopeDecision, sendCancel } = await import(
    '../../client/session-messages.ts'
  )
  const ways = {
    answerClarification: sendAnswers,
    decidePlan: sendPlanDecision,
    decideScope: sendScopeDecision,
    cancel: sendCancel,
  }
  const way = ways[name] as (
    client: Client,
    id: string,
    message: MessageInput<Name>,
    o: typeof options,
  ) => Promise<MessageResult>
  return await way(client, workflowId, message, options)
}

async function refuseAfterEnd(
  store: Store,
  sessionId: string,
  name: MessageName,
  sender: MessageSender,
): Promise<MessageResult> {
  await recordRefusedMessage(
    store,
    sessionId,
    name,
    sender,
    'it came after the end of the session, and changed nothing',
  )
  return { kind: 'ended' }
}

async function recordRefusedMessage(
  store: Store,
  sessionId: string,
  name: MessageName,
  { by, from }: MessageSender,
  response: string,
): Promise<void> {
  const who = { by: by ?? getLocalUser(), from: from ?? describeScriptHost() }
  const refused = {
    key: `refused/${randomUUID()}`,
    name,
    outcome: 'refused',
    response,
    ...who,
    at: Date.now(),
  } as const
  await store.messages.add(sessionId, [refused])
}

/** Waits until the store has the message, and its request is closed there or still open after a partial answer. */
async function waitUntilRecorded(
  store: Store,
  client: Client,
  before: SessionRecord,
  countBefore: number,
): Promise<void> {
  const { session_id, workflow_id, decision } = before
  const { querySessionView } = await import('../../client/session-workflow.ts')
  const view = await querySessionView(client, workflow_id).catch(() => undefined)
  const stillOpen = view?.open !== undefined && view.open.request === decision?.request
  for await (const _ of store.watch({ signal: AbortSignal.timeout(RECORDED_WITHIN_MS) })) {
    const session = await store.sessions.get(session_id)
    if (session === undefined || session.ended_at !== undefined) return
    const isOnRecord = (await store.messages.listForSession(session_id)).length > countBefore
    if (isOnRecord && (stillOpen || decision === undefined || session.decision?.request !== decision.request)) return
  }
}
