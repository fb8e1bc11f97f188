// `fixwright fix`: starts a session, or joins the one that does this work already, and shows it to its end. The session does not
// need this process: killed, it leaves the session running.

import { FixwrightError, RefusedError } from '../../app/errors.ts'
import { startOrJoinSession } from '../../app/start/start-session.ts'
import type { FixSessionResult } from '../../domain/session/session.ts'
import type { StartInput } from '../../preflight/prepare-session.ts'
import { openStore } from '../../store/open-store.ts'
import { CANCELLED, toExitCode, WAITS_FOR_PERSON } from '../exit-codes.ts'
import { connectFromCli, openCliHome, startConnecting } from '../session/connect.ts'
import type { FollowResult } from '../session/follow-session.ts'
import { describeTerminalHost, print, printNotice } from '../terminal/console.ts'
import { describeWait } from '../terminal/describe-decision.ts'
import { printResult } from '../terminal/print-result.ts'

export interface FixOptions extends StartInput {
  readonly json: boolean
  /** Stops the session that is at this work already. */
  readonly force: boolean
  /** Ends when the session waits for a person. */
  readonly noWait: boolean
}

export async function runFixCommand(options: FixOptions): Promise<number> {
  const home = openCliHome()
  const store = await openStore(home.database)
  // The client of Temporal takes as long to load as git takes to answer: both at once.
  const early = startConnecting(home)
  const loading = import('../session/follow-session.ts')
  try {
    const begun = await startOrJoinSession(options, {
      home,
      store,
      env: process.env,
      connect: (settings) => connectFromCli(home, settings, 'command', early),
      onProgress: printNotice,
      force: options.force,
      from: describeTerminalHost(),
    })
    if (begun.kind === 'refused') throw new RefusedError(begun.code, begun.problems)
    if (begun.kind === 'blocked') throw new FixwrightError(begun.code, begun.reason)
    if (begun.kind === 'done') return finishWithResult(begun.result, options)
    const { settings, connected, sessionId } = begun
    try {
      const { followSession } = await loading
      const { noWait } = options
      return finishFollowed(await followSession({ store, home, settings, connected, sessionId, noWait }), options)
    } finally {
      connected.close()
    }
  } finally {
    early.closeUnused()
    await store.close()
  }
}

function finishFollowed(followed: FollowResult, options: FixOptions): number {
  if (followed.kind === 'ended') return finishWithResult(followed.result, options)
  if (followed.kind === 'left') return CANCELLED
  const { state } = followed
  printNotice(`session ${state.session_id} ${describeWait(state)}`)
  if (options.json) print(JSON.stringify(state, null, 2))
  return WAITS_FOR_PERSON
}

function finishWithResult(result: FixSessionResult, { json }: FixOptions): number {
  printResult(result, json)
  return toExitCode(result)
}
