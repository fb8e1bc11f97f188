// What `answer`, `plan` and `scope` have in common: a session that somebody has something to say to. The instance is joined or
// started only to say it. Where nothing ran before, the command stays until the session ends, or waits again.

import { FixwrightError } from '../../app/errors.ts'
import { sendMessage } from '../../app/session/send-message.ts'
import { loadSessionState, type SessionState } from '../../app/session/session-state.ts'
import type { MessageInput, MessageName } from '../../domain/people/message-schemas.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Home } from '../../runtime/home/home.ts'
import type { Store } from '../../store/store.ts'
import { CANCELLED, toExitCode } from '../exit-codes.ts'
import { describeTerminalHost, print, printNotice } from '../terminal/console.ts'
import { describeWait } from '../terminal/describe-decision.ts'
import { printResult } from '../terminal/print-result.ts'
import { askOpenItems } from './answer-while-following.ts'
import { printMessageResult, type SendToSession } from './ask-person.ts'
import { connectFromCli, type InstanceConnection, loadSessionSettings, withStore } from './connect.ts'
import { resolveSession } from './find-session.ts'
import type { FollowResult } from './follow-session.ts'

export interface SessionConversation {
  readonly session: SessionRecord
  /** As the store has it now. */
  state(): Promise<SessionState>
  /** Says it, and what became of it; what is refused ends the command. */
  send<Name extends MessageName>(name: Name, message: MessageInput<Name>): Promise<void>
  /** Asks the person at this terminal about all that is open. */
  askOpenItems(state: SessionState): Promise<void>
  /** Shows what follows; answers with the status of the command. */
  finish(json: boolean): Promise<number>
}

/** Whoever just started an instance waits for its worker. */
const WORKER_START_MS = 20_000

export async function withSessionConversation(
  typed: string,
  use: (door: SessionConversation) => Promise<number>,
): Promise<number> {
  return withStore(async (store, home) => {
    const session = await resolveSession(store, typed)
    const line = openChannel(store, home, session)
    const seen = (await store.events.findLast(session.session_id))?.seq ?? 0
    try {
      return await use(createConversation(store, home, session, line, seen))
    } finally {
      line.close()
    }
  })
}

interface MessageChannel {
  readonly send: SendToSession
  /** The instance, where it was started for this. */
  startedInstance(): InstanceConnection | undefined
  /** Closes what has no workflow any more. */
  reconcile(): Promise<void>
  close(): void
}

function openChannel(store: Store, home: Home, session: SessionRecord): MessageChannel {
  let connecting: Promise<InstanceConnection> | undefined
  let connected: InstanceConnection | undefined
  const client = async () => {
    connecting ??= loadSessionSettings(home, session).then((settings) => connectFromCli(home, settings, 'command'))
    connected = await connecting
    return connected.client
  }
  return {
    send: (name, message) =>
      sendMessage({ store, session, client, answerWithinMs: WORKER_START_MS }, name, {
        ...message,
        from: describeTerminalHost(),
      }),
    startedInstance: () => (connected?.instance.startedByUs ? connected : undefined),
    reconcile: async () => await connected?.reconcile(),
    close: () => connected?.close(),
  }
}

function createConversation(
  store: Store,
  home: Home,
  session: SessionRecord,
  line: MessageChannel,
  after: number,
): SessionConversation {
  const { session_id: sessionId } = session
  const state = async () => await loadSessionState(store, home, (await store.sessions.get(sessionId)) ?? session)
  return {
    session,
    state,
    async send(name, message) {
      const result = await line.send(name, message)
      if (result.kind === 'refused') throw new FixwrightError('bad_input', `nothing was changed: ${result.reason}`)
      if (result.kind === 'ended') {
        // Its workflow may have been ended from outside, and the store not know it yet.
        await line.reconcile()
        throw new FixwrightError('session_ended', `nothing was changed: ${describeEnd(await state())}`)
      }
      printMessageResult(result)
    },
    async askOpenItems(open) {
      const left = new AbortController()
      const onInterrupt = () => left.abort()
      process.on('SIGINT', onInterrupt)
      try {
        await askOpenItems({ store, home, sessionId, send: line.send, onInterrupt, signal: left.signal }, open)
      } finally {
        process.off('SIGINT', onInterrupt)
      }
      if (left.signal.aborted) throw new FixwrightError('interrupted', 'left: what was not answered stays open')
    },
    async finish(json) {
      const connected = line.startedInstance()
      const followed = connected && (await stay(connected))
      if (json) print(JSON.stringify(await state(), null, 2))
      switch (followed?.kind) {
        case 'ended':
          if (!json) printResult(followed.result, false)
          return toExitCode(followed.result)
        case 'waits':
          printNotice(`session ${sessionId} ${describeWait(followed.state)}`)
          return 0
        case 'left':
          printNotice(`session ${sessionId} goes on in the background; "fixwright watch ${sessionId}" shows it`)
          return CANCELLED
        default:
          return 0
      }
    },
  }

  async function stay(connected: InstanceConnection): Promise<FollowResult> {
    const [settings, { followSession }] = await Promise.all([
      loadSessionSettings(home, session),
      import('./follow-session.ts'),
    ])
    const more = { after, noWait: true, onInterrupt: 'leave' } as const
    return await followSession({ store, home, settings, connected, sessionId, ...more })
  }
}

function describeEnd({ session_id, status, ended_at, ending }: SessionState): string {
  if (ended_at === null) return `the workflow of session ${session_id} is gone`
  return `session ${session_id} has ended: ${status}${ending ? `, because ${ending.reason}` : ''}`
}
