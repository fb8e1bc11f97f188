// Tells a session something, and waits until the store shows what came of it: who looks next sees it, and an instance that nobody
// else needs does not take the session for one that still waits. What was refused, also after the session's end, is kept with its log.
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

/** What became of a message, with a code where it was refused. */
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
  /** Asked only where the session has not ended. */
  readonly client: () => Promise<Client>
  /** How long a worker gets to answer, where the usual time is not right: one of our own may be about to start. */
  readonly answerWithinMs?: number | undefined
}

const RECORDED_WITHIN_MS = 10_000
/** Whoever just started an instance waits for its worker. */
const WORKER_START_MS = 20_000

export type UnsignedMessage<Name extends MessageName> = Omit<NonNullable<MessageInput<Name>>, 'by' | 'from'>

/** Signed by who acts; an instance is joined or started to say it. */
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
  // Its workflow may have been ended from outside, and the store not know it yet.
  if (result.kind === 'ended') await instance.current()?.reconcile()
  return result.kind === 'refused' ? { ...result, code: 'message_refused' } : result
}

export async function sendMessage<Name extends MessageName>(
  { store, session, client, answerWithinMs }: MessageTarget,
  name: Name,
  message: MessageInput<Name>,
): Promise<MessageResult> {
  const { session_id, workflow_id } = session
  // What can't be understood is not worth an instance.
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
  // An update that is refused leaves no trace in its workflow.
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

/** Who names no request means what is on show, and nothing that comes after it while the message is on its way. */
function addOpenRequest<Name extends MessageName>(
  name: Name,
  message: MessageInput<Name>,
  decision: OpenDecision | undefined,
): MessageInput<Name> {
  const { request, decision: word } = (message ?? {}) as { readonly request?: string; readonly decision?: string }
  // The same edit again is known again only where it names none: it has led to another request.
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
    response: response,
    ...who,
    at: Date.now(),
  } as const
  await store.messages.add(sessionId, [refused])
}

/** What was open is not any more; or it still is, and the answer to a part of it is on record. */
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
