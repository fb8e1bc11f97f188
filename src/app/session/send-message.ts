// Sends a message to a session and waits until the store shows its effect, so that readers see it and an unneeded
// instance does not mistake the session for one that still waits. Refused messages are recorded, too.
import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import type { MessageResult } from '../../client/session-messages.ts'
import { type MessageInput, type MessageName, parseMessage } from '../../domain/people/message-schemas.ts'
import type { OpenDecision, SessionRecord } from '../../domain/session/session.ts'
import type { Store } from '../../store/store.ts'
import { type AppContext, nameSender } from '../context.ts'
import { loadSessionSettings } from '../settings/load-settings.ts'
import { WORKER_START_MS, waitUntilStarted } from './wait-until-started.ts'

export type { MessageResult } from '../../client/session-messages.ts'
export { hasChanges, parseMessage } from '../../domain/people/message-schemas.ts'

export type UnsignedMessage<Name extends MessageName> = Omit<NonNullable<MessageInput<Name>>, 'by' | 'from' | 'seal'>

const RECORDED_WITHIN_MS = 10_000

/**
 * Signs the message, and ties it to the request that is open in `session`, which the sender saw: it never counts for a
 * later one. Joins or starts an instance to send it.
 */
export async function sendToSession<Name extends MessageName>(
  app: AppContext,
  session: SessionRecord,
  name: Name,
  message: UnsignedMessage<Name>,
): Promise<MessageResult> {
  const { store, instance, sender, sign } = app
  const { session_id: sessionId, workflow_id } = session
  const signed = { ...openRequestField(name, session), ...message, ...sender } as MessageInput<Name>
  // An invalid message is not worth starting an instance.
  const read = parseMessage(name, signed)
  if (read.kind === 'refused') return read
  const recordRefused = (response: string): Promise<void> => {
    const refused = { key: `refused/${randomUUID()}`, name, outcome: 'refused', response, at: Date.now() } as const
    return store.messages.add(sessionId, [{ ...refused, ...nameSender(app) }])
  }
  const tooLate = 'it came after the end of the session, and changed nothing'
  const before = (await store.sessions.get(sessionId)) ?? session
  if (before.ended_at !== undefined) {
    await recordRefused(tooLate)
    return { kind: 'ended' }
  }
  const { client } = instance.current() ?? (await instance.connect(await loadSessionSettings(app, session)))
  await waitUntilStarted(app, before)
  const countBefore = (await store.messages.listForSession(sessionId)).length
  const { sendSessionMessage } = await import('../../client/session-messages.ts')
  const options = { sessionId, answerWithinMs: WORKER_START_MS, sign }
  const result = await sendSessionMessage(client, workflow_id, name, signed, options)
  if (result.kind === 'taken') await waitUntilRecorded(store, client, before, countBefore)
  if (result.kind === 'ended') {
    await recordRefused(tooLate)
    // The workflow may have been ended from outside without the store knowing yet.
    await instance.current()?.reconcile()
  }
  // A refused update leaves no trace in its workflow.
  if (result.kind === 'refused') await recordRefused(result.reason)
  return result
}

const DECISION_KINDS: Partial<Record<MessageName, OpenDecision['kind']>> = {
  answerClarification: 'clarification',
  decidePlan: 'plan',
  decideScope: 'scope',
}

function openRequestField(name: MessageName, { decision }: SessionRecord): { readonly request?: string } {
  return decision !== undefined && decision.kind === DECISION_KINDS[name] ? { request: decision.request } : {}
}

/** Waits until the store has the message, and its request is closed there or still open after a partial answer. */
async function waitUntilRecorded(
  store: Store,
  client: Client,
  { session_id, workflow_id, decision }: SessionRecord,
  countBefore: number,
): Promise<void> {
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
