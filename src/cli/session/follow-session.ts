// Shows a session until it has ended, or waits for a person where nobody is to wait with it. It reads the event log, so it needs
// neither Temporal nor the worker; what it looks after is that there is an instance: should that die, a successor is started and
// the session goes on.

import { keepInstance } from '../../app/keep-instance-alive.ts'
import { tellSession } from '../../app/send-message.ts'
import { type SessionState, stateOf } from '../../app/session-state.ts'
import { cancel } from '../../client/session-messages.ts'
import type { FixSessionResult, SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Home } from '../../runtime/home/home.ts'
import { followEvents } from '../../store/follow-events.ts'
import type { Store } from '../../store/store.ts'
import { CANNOT_GO_ON, Exit } from '../exit-codes.ts'
import { say, storyteller, terminalHere } from '../terminal/console.ts'
import { resultOf } from '../terminal/print-result.ts'
import { isConversation } from '../terminal/prompt.ts'
import { attend } from './answer-while-following.ts'
import type { Send } from './ask-person.ts'
import { type Connected, connect } from './connect.ts'

export interface Following {
  readonly store: Store
  readonly home: Home
  readonly settings: Settings
  readonly connected: Connected
  readonly sessionId: string
  /** Leaves when it waits for a person. */
  readonly noWait?: boolean | undefined
  /** The number of the last event that was seen already. */
  readonly after?: number | undefined
  /** What Ctrl-C does: ends the session, or only the looking. */
  readonly onInterrupt?: 'cancel' | 'leave' | undefined
}

export type Followed =
  | { readonly kind: 'ended'; readonly result: FixSessionResult }
  | { readonly kind: 'waits'; readonly state: SessionState }
  | { readonly kind: 'left' }

export async function followSession(following: Following): Promise<Followed> {
  const { store, home, settings, connected, sessionId, after = 0, noWait, onInterrupt = 'cancel' } = following
  const record = await store.sessions.get(sessionId)
  if (!record) throw new Exit(CANNOT_GO_ON, `session ${sessionId} is not in the store of this home`)
  if (after === 0) say(`session ${sessionId}${whereInUi(following, record.workflow_id)}`)
  const again = () => connect(home, settings, 'command')
  const keeper = keepInstance({ connected, workflowId: record.workflow_id, again, say })
  const client = () => keeper.current().client
  const left = new AbortController()
  const over = new AbortController()
  const interrupted = onInterrupt === 'cancel' ? cancelOnInterrupt(client, record) : () => left.abort()
  const forget = onSignals(interrupted)
  const send: Send = (name, message) =>
    tellSession({ store, session: record, client: async () => client() }, name, { ...message, from: terminalHere() })
  const signal = AbortSignal.any([left.signal, over.signal])
  const mode = noWait ? 'leave' : isConversation() ? 'ask' : 'tell'
  // However it ends, nothing is shown after it.
  const attending = attend({ store, home, sessionId, send, onInterrupt: interrupted, signal }, mode).finally(() =>
    over.abort(),
  )
  attending.catch(() => undefined)
  const tell = storyteller(process.stderr)
  let seen = after
  const show = (event: Parameters<typeof tell>[0]): void => {
    seen = event.seq
    const line = tell(event)
    if (line !== undefined) say(line)
  }
  try {
    for await (const event of followEvents(store, sessionId, { after, signal })) show(event)
    over.abort()
    const isShort = (await attending) === 'waits'
    if (isShort) for (const event of await store.events.after(sessionId, seen)) show(event)
  } finally {
    over.abort()
    forget()
    keeper.end()
  }
  const last = await store.sessions.get(sessionId)
  if (last?.ended_at === undefined && (await attending) === 'waits') {
    return { kind: 'waits', state: await stateOf(store, home, last ?? record) }
  }
  if (last?.ended_at === undefined && left.signal.aborted) return { kind: 'left' }
  return { kind: 'ended', result: await resultOf(store, sessionId) }
}

function whereInUi({ connected }: Following, workflowId: string): string {
  const { uiUrl, namespace } = connected.joined
  return uiUrl === null ? '' : ` · ${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`
}

function onSignals(act: () => void): () => void {
  process.on('SIGINT', act)
  process.on('SIGTERM', act)
  return () => {
    process.off('SIGINT', act)
    process.off('SIGTERM', act)
  }
}

/** The first Ctrl-C asks, the second cancels; where nobody can be asked, the first one does. */
function cancelOnInterrupt(client: () => Connected['client'], { session_id, workflow_id }: SessionRecord): () => void {
  let asked = !process.stdin.isTTY
  return () => {
    if (!asked) {
      asked = true
      say(`press Ctrl-C again to cancel session ${session_id}; closing this terminal leaves it running`)
      return
    }
    say(`cancelling session ${session_id}: committed stages stay, the attempt in work is taken back`)
    cancel(client(), workflow_id, { from: terminalHere() }, { sessionId: session_id }).then(
      (told) => told.kind === 'refused' && say(`it was not cancelled: ${told.reason}`),
      (error: Error) => say(`it could not be cancelled: ${error.message}`),
    )
  }
}
