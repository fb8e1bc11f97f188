// What `answer`, `plan` and `scope` have in common: a session that somebody has something to say to. The instance is joined or
// started only to say it. Where nothing ran before, the command stays until the session ends, or waits again.

import { tellSession } from '../../app/send-message.ts'
import { type SessionState, stateOf } from '../../app/session-state.ts'
import type { MessageInput, MessageName } from '../../domain/people/message-schemas.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Home } from '../../runtime/home/home.ts'
import type { Store } from '../../store/store.ts'
import { BAD_INPUT, CANCELLED, Exit, statusOf } from '../exit-codes.ts'
import { print, say, terminalHere } from '../terminal/console.ts'
import { describeWait } from '../terminal/describe-decision.ts'
import { printResult } from '../terminal/print-result.ts'
import { askAll } from './answer-while-following.ts'
import { report, type Send } from './ask-person.ts'
import { type Connected, connect, settingsFor, withStore } from './connect.ts'
import { sessionFor } from './find-session.ts'
import type { Followed } from './follow-session.ts'

export interface Door {
  readonly session: SessionRecord
  /** As the store has it now. */
  state(): Promise<SessionState>
  /** Says it, and what became of it; what is refused ends the command. */
  tell<Name extends MessageName>(name: Name, message: MessageInput<Name>): Promise<void>
  /** Asks the person at this terminal about all that is open. */
  ask(state: SessionState): Promise<void>
  /** Shows what follows; answers with the status of the command. */
  leave(json: boolean): Promise<number>
}

/** Whoever just started an instance waits for its worker. */
const PATIENCE_MS = 20_000

export async function atDoor(typed: string, use: (door: Door) => Promise<number>): Promise<number> {
  return withStore(async (store, home) => {
    const session = await sessionFor(store, typed)
    const line = openLine(store, home, session)
    const seen = (await store.events.last(session.session_id))?.seq ?? 0
    try {
      return await use(doorOf(store, home, session, line, seen))
    } finally {
      line.hangUp()
    }
  })
}

interface Line {
  readonly send: Send
  /** The instance, where it was started for this. */
  own(): Connected | undefined
  /** Closes what has no workflow any more. */
  tidy(): Promise<void>
  hangUp(): void
}

function openLine(store: Store, home: Home, session: SessionRecord): Line {
  let connecting: Promise<Connected> | undefined
  let connected: Connected | undefined
  const client = async () => {
    connecting ??= settingsFor(home, session).then((settings) => connect(home, settings, 'command'))
    connected = await connecting
    return connected.client
  }
  return {
    send: (name, message) =>
      tellSession({ store, session, client, patienceMs: PATIENCE_MS }, name, { ...message, from: terminalHere() }),
    own: () => (connected?.joined.startedByUs ? connected : undefined),
    tidy: async () => await connected?.reconcile(),
    hangUp: () => connected?.leave(),
  }
}

function doorOf(store: Store, home: Home, session: SessionRecord, line: Line, after: number): Door {
  const { session_id: sessionId } = session
  const state = async () => await stateOf(store, home, (await store.sessions.get(sessionId)) ?? session)
  return {
    session,
    state,
    async tell(name, message) {
      const told = await line.send(name, message)
      if (told.kind === 'refused') throw new Exit(BAD_INPUT, `nothing was changed: ${told.reason}`)
      if (told.kind === 'ended') {
        // Its workflow may have been ended from outside, and the store not know it yet.
        await line.tidy()
        throw new Exit(BAD_INPUT, `nothing was changed: ${endOf(await state())}`)
      }
      report(told)
    },
    async ask(open) {
      const left = new AbortController()
      const onInterrupt = () => left.abort()
      process.on('SIGINT', onInterrupt)
      try {
        await askAll({ store, home, sessionId, send: line.send, onInterrupt, signal: left.signal }, open)
      } finally {
        process.off('SIGINT', onInterrupt)
      }
      if (left.signal.aborted) throw new Exit(CANCELLED, 'left: what was not answered stays open')
    },
    async leave(json) {
      const connected = line.own()
      const followed = connected && (await stay(connected))
      if (json) print(JSON.stringify(await state(), null, 2))
      switch (followed?.kind) {
        case 'ended':
          if (!json) printResult(followed.result, false)
          return statusOf(followed.result)
        case 'waits':
          say(`session ${sessionId} ${describeWait(followed.state)}`)
          return 0
        case 'left':
          say(`session ${sessionId} goes on in the background; "fixwright watch ${sessionId}" shows it`)
          return CANCELLED
        default:
          return 0
      }
    },
  }

  async function stay(connected: Connected): Promise<Followed> {
    const [settings, { followSession }] = await Promise.all([settingsFor(home, session), import('./follow-session.ts')])
    const more = { after, noWait: true, onInterrupt: 'leave' } as const
    return await followSession({ store, home, settings, connected, sessionId, ...more })
  }
}

function endOf({ session_id, status, ended_at, ending }: SessionState): string {
  if (ended_at === null) return `the workflow of session ${session_id} is gone`
  return `session ${session_id} has ended: ${status}${ending ? `, because ${ending.reason}` : ''}`
}
