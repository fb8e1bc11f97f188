// Shows a session until it has ended, or waits for a person where nobody is to wait with it. It reads the event log, so it needs
// neither Temporal nor the worker; what it looks after is that there is an instance: should that die, a successor is started and
// the session goes on.

import { FixwrightError } from '../../app/errors.ts'
import { keepInstanceAlive } from '../../app/instance/keep-instance-alive.ts'
import { sendMessage } from '../../app/session/send-message.ts'
import { loadSessionState, type SessionState } from '../../app/session/session-state.ts'
import { sendCancel } from '../../client/session-messages.ts'
import type { FixSessionResult, SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Home } from '../../runtime/home/home.ts'
import { followEvents } from '../../store/follow-events.ts'
import type { Store } from '../../store/store.ts'
import { describeTerminalHost, eventFormatter, printNotice } from '../terminal/console.ts'
import { loadResult } from '../terminal/print-result.ts'
import { isInteractive } from '../terminal/prompt.ts'
import { handleWaits } from './answer-while-following.ts'
import type { SendToSession } from './ask-person.ts'
import { connectFromCli, type InstanceConnection } from './connect.ts'

export interface FollowSessionOptions {
  readonly store: Store
  readonly home: Home
  readonly settings: Settings
  readonly connected: InstanceConnection
  readonly sessionId: string
  /** Leaves when it waits for a person. */
  readonly noWait?: boolean | undefined
  /** The number of the last event that was seen already. */
  readonly after?: number | undefined
  /** What Ctrl-C does: ends the session, or only the looking. */
  readonly onInterrupt?: 'cancel' | 'leave' | undefined
}

export type FollowResult =
  | { readonly kind: 'ended'; readonly result: FixSessionResult }
  | { readonly kind: 'waits'; readonly state: SessionState }
  | { readonly kind: 'left' }

export async function followSession(following: FollowSessionOptions): Promise<FollowResult> {
  const { store, home, settings, connected, sessionId, after = 0, noWait, onInterrupt = 'cancel' } = following
  const record = await store.sessions.get(sessionId)
  if (!record) throw new FixwrightError('session_in_the_way', `session ${sessionId} is not in the store of this home`)
  if (after === 0) printNotice(`session ${sessionId}${formatUiLink(following, record.workflow_id)}`)
  const again = () => connectFromCli(home, settings, 'command')
  const keeper = keepInstanceAlive({
    connected,
    workflowId: record.workflow_id,
    reconnect: again,
    onProgress: printNotice,
  })
  const client = () => keeper.current().client
  const left = new AbortController()
  const over = new AbortController()
  const interrupted = onInterrupt === 'cancel' ? cancelOnInterrupt(client, record) : () => left.abort()
  const forget = onSignals(interrupted)
  const send: SendToSession = (name, message) =>
    sendMessage({ store, session: record, client: async () => client() }, name, {
      ...message,
      from: describeTerminalHost(),
    })
  const signal = AbortSignal.any([left.signal, over.signal])
  const mode = noWait ? 'leave' : isInteractive() ? 'ask' : 'tell'
  // However it ends, nothing is shown after it.
  const attending = handleWaits({ store, home, sessionId, send, onInterrupt: interrupted, signal }, mode).finally(() =>
    over.abort(),
  )
  attending.catch(() => undefined)
  const formatEvent = eventFormatter(process.stderr)
  let seen = after
  const show = (event: Parameters<typeof formatEvent>[0]): void => {
    seen = event.seq
    const line = formatEvent(event)
    if (line !== undefined) printNotice(line)
  }
  try {
    for await (const event of followEvents(store, sessionId, { after, signal })) show(event)
    over.abort()
    const isShort = (await attending) === 'waits'
    if (isShort) for (const event of await store.events.listAfter(sessionId, seen)) show(event)
  } finally {
    over.abort()
    forget()
    keeper.stop()
  }
  const last = await store.sessions.get(sessionId)
  if (last?.ended_at === undefined && (await attending) === 'waits') {
    return { kind: 'waits', state: await loadSessionState(store, home, last ?? record) }
  }
  if (last?.ended_at === undefined && left.signal.aborted) return { kind: 'left' }
  return { kind: 'ended', result: await loadResult(store, sessionId) }
}

function formatUiLink({ connected }: FollowSessionOptions, workflowId: string): string {
  const { uiUrl, namespace } = connected.instance
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
function cancelOnInterrupt(
  client: () => InstanceConnection['client'],
  { session_id, workflow_id }: SessionRecord,
): () => void {
  let asked = !process.stdin.isTTY
  return () => {
    if (!asked) {
      asked = true
      printNotice(`press Ctrl-C again to cancel session ${session_id}; closing this terminal leaves it running`)
      return
    }
    printNotice(`cancelling session ${session_id}: committed stages stay, the attempt in work is taken back`)
    sendCancel(client(), workflow_id, { from: describeTerminalHost() }, { sessionId: session_id }).then(
      (result) => result.kind === 'refused' && printNotice(`it was not cancelled: ${result.reason}`),
      (error: Error) => printNotice(`it could not be cancelled: ${error.message}`),
    )
  }
}
