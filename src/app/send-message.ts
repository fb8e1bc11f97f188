// Tells a session something, and waits until the store shows what came of it: who looks next sees it, and an instance that nobody
// else needs does not take the session for one that still waits. What was refused, also after the session's end, is kept with its log.
import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { personHere, scriptHere } from '../client/caller-identity.ts'
import type { Told } from '../client/session-messages.ts'
import { type MessageInput, type MessageName, readMessage } from '../domain/people/message-schemas.ts'
import type { OpenDecision, SessionRecord } from '../domain/session/session.ts'
import type { Store } from '../store/store.ts'
import { changesOf } from '../store/watch-changes.ts'

interface Sender {
  readonly by?: string | undefined
  readonly from?: string | undefined
}

export interface Telling {
  readonly store: Store
  readonly session: SessionRecord
  /** Asked only where the session has not ended. */
  readonly client: () => Promise<Client>
  /** How long a worker gets to answer, where the usual time is not right: one of our own may be about to start. */
  readonly patienceMs?: number | undefined
}

const SHOWN_WITHIN_MS = 10_000

export async function tellSession<Name extends MessageName>(
  { store, session, client, patienceMs }: Telling,
  name: Name,
  message: MessageInput<Name>,
): Promise<Told> {
  const { session_id, workflow_id } = session
  // What can't be understood is not worth an instance.
  const read = readMessage(name, message)
  if (read.kind === 'refused') return read
  const before = await store.sessions.get(session_id)
  if (before?.ended_at !== undefined) return await tooLate(store, session_id, name, message as Sender)
  const connected = await client()
  const heard = (await store.said.of(session_id)).length
  const meant = aboutWhatIsOpen(name, message, before?.decision)
  const told = await send(connected, workflow_id, name, meant, { sessionId: session_id, patienceMs })
  if (told.kind === 'ended') return await tooLate(store, session_id, name, message as Sender)
  // An update that is refused leaves no trace in its workflow.
  if (told.kind === 'refused') await putDown(store, session_id, name, message as Sender, told.reason)
  if (told.kind === 'taken') await untilShown(store, connected, before ?? session, heard)
  return told
}

const DECIDED_BY: Partial<Record<MessageName, OpenDecision['kind']>> = {
  answerClarification: 'clarification',
  decidePlan: 'plan',
  decideScope: 'scope',
}

/** Who names no request means what is on show, and nothing that comes after it while the message is on its way. */
function aboutWhatIsOpen<Name extends MessageName>(
  name: Name,
  message: MessageInput<Name>,
  decision: OpenDecision | undefined,
): MessageInput<Name> {
  const { request, decision: word } = (message ?? {}) as { readonly request?: string; readonly decision?: string }
  // The same edit again is known again only where it names none: it has led to another request.
  const isFree = request !== undefined || word === 'edit'
  if (isFree || decision === undefined || decision.kind !== DECIDED_BY[name]) return message
  return { ...message, request: decision.request } as MessageInput<Name>
}

async function send<Name extends MessageName>(
  client: Client,
  workflowId: string,
  name: Name,
  message: MessageInput<Name>,
  options: { readonly sessionId: string; readonly patienceMs: number | undefined },
): Promise<Told> {
  const { answer, decidePlan, decideScope, cancel } = await import('../client/session-messages.ts')
  const ways = { answerClarification: answer, decidePlan, decideScope, cancel }
  const way = ways[name] as (
    client: Client,
    id: string,
    message: MessageInput<Name>,
    o: typeof options,
  ) => Promise<Told>
  return await way(client, workflowId, message, options)
}

async function tooLate(store: Store, sessionId: string, name: MessageName, sender: Sender): Promise<Told> {
  await putDown(store, sessionId, name, sender, 'it came after the end of the session, and changed nothing')
  return { kind: 'ended' }
}

async function putDown(
  store: Store,
  sessionId: string,
  name: MessageName,
  { by, from }: Sender,
  says: string,
): Promise<void> {
  const who = { by: by ?? personHere(), from: from ?? scriptHere() }
  const refused = { key: `refused/${randomUUID()}`, name, outcome: 'refused', says, ...who, at: Date.now() } as const
  await store.said.add(sessionId, [refused])
}

/** What was open is not any more; or it still is, and the answer to a part of it is on record. */
async function untilShown(store: Store, client: Client, before: SessionRecord, heard: number): Promise<void> {
  const { session_id, workflow_id, decision } = before
  const { viewOf } = await import('../client/session-workflow.ts')
  const view = await viewOf(client, workflow_id).catch(() => undefined)
  const stillOpen = view?.open !== undefined && view.open.request === decision?.request
  for await (const _ of changesOf(store, { signal: AbortSignal.timeout(SHOWN_WITHIN_MS) })) {
    const session = await store.sessions.get(session_id)
    if (session === undefined || session.ended_at !== undefined) return
    const isOnRecord = (await store.said.of(session_id)).length > heard
    if (isOnRecord && (stillOpen || decision === undefined || session.decision?.request !== decision.request)) return
  }
}
