// Opens a session for `answer`, `plan` and `scope`. An instance is joined or started only to send a message. If none
// ran before, the command stays until the session ends or waits again.

import type { AppContext } from '../../app/context.ts'
import { FixwrightError } from '../../app/errors.ts'
import { findSession } from '../../app/session/find-sessions.ts'
import { loadSessionState, reloadSession } from '../../app/session/load-session-state.ts'
import { sendToSession, type UnsignedMessage } from '../../app/session/send-message.ts'
import { toExitCode } from '../../app/session/session-result.ts'
import { getLastEventNumber } from '../../app/session/watch-session.ts'
import { loadSessionSettings } from '../../app/settings/load-settings.ts'
import type { MessageName } from '../../domain/people/message-schemas.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { SessionState } from '../../domain/session/session-state.ts'
import { LEFT } from '../exit-codes.ts'
import { printJson, printNotice } from '../terminal/console.ts'
import { describeLeft, describeWait } from '../terminal/describe-decision.ts'
import { printResult } from '../terminal/print-result.ts'
import { askOpenItems } from './answer-while-following.ts'
import { printMessageResult } from './ask-person.ts'
import type { FollowResult } from './follow-session.ts'
import { withApp } from './with-app.ts'

export interface SessionConversation {
  /** Loads the session's current state from the store. */
  state(): Promise<SessionState>
  /** Sends a message about the last loaded state and prints the outcome; a refusal ends the command. */
  send<Name extends MessageName>(name: Name, message: UnsignedMessage<Name>): Promise<void>
  /** Asks the person at this terminal about all open items. */
  askOpenItems(state: SessionState): Promise<void>
  /** Shows what follows; returns the exit status of the command. */
  finish(json: boolean): Promise<number>
}

export async function withSessionConversation(
  typed: string,
  use: (conversation: SessionConversation) => Promise<number>,
): Promise<number> {
  return withApp(async (app) => {
    const session = await findSession(app, typed)
    const seen = await getLastEventNumber(app, session.session_id)
    return await use(createConversation(app, session, seen))
  })
}

function createConversation(app: AppContext, session: SessionRecord, after: number): SessionConversation {
  const { session_id: sessionId } = session
  let seen = session
  const state = async () => {
    seen = await reloadSession(app, seen)
    return await loadSessionState(app, seen)
  }
  return {
    state,
    async send(name, message) {
      const result = await sendToSession(app, seen, name, message)
      if (result.kind === 'refused') throw new FixwrightError(result.code, `nothing was changed: ${result.reason}`)
      if (result.kind === 'ended')
        throw new FixwrightError('session_ended', `nothing was changed: ${describeEnd(await state())}`)
      printMessageResult(result)
    },
    async askOpenItems(open) {
      const left = new AbortController()
      const onInterrupt = () => left.abort()
      process.on('SIGINT', onInterrupt)
      try {
        await askOpenItems({ app, session: seen, onInterrupt, signal: left.signal }, open)
      } finally {
        process.off('SIGINT', onInterrupt)
      }
      if (left.signal.aborted) throw new FixwrightError('interrupted', 'left: what was not answered stays open')
    },
    async finish(json) {
      const followed = app.instance.joined()?.startedByUs ? await stay() : undefined
      if (json) printJson(await state())
      switch (followed?.kind) {
        case 'ended':
          if (!json) await printResult(app, followed.result, { json })
          return toExitCode(followed.result)
        case 'waits':
          printNotice(`session ${sessionId} ${describeWait(followed.state)}`)
          return 0
        case 'left':
          printNotice(describeLeft(sessionId))
          return LEFT
        default:
          return 0
      }
    },
  }

  async function stay(): Promise<FollowResult> {
    const [settings, { followSession }] = await Promise.all([
      loadSessionSettings(app, session),
      import('./follow-session.ts'),
    ])
    return await followSession(app, { sessionId, settings, after, noWait: true, interrupts: 'leave' })
  }
}

function describeEnd({ session_id, status, ended_at, ending }: SessionState): string {
  if (ended_at === null) return `the workflow of session ${session_id} is gone`
  return `session ${session_id} has ended: ${status}${ending ? `, because ${ending.reason}` : ''}`
}
