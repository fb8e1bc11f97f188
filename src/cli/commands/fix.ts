// `fixwright fix`: starts a session, or joins the one that does this work already, and shows it to its end. The session does not
// need this process: killed, it leaves the session running.

import type { Order } from '../../app/preflight/prepare-session.ts'
import { beginSession } from '../../app/start-session.ts'
import type { FixSessionResult } from '../../domain/session/session.ts'
import { openStore } from '../../store/store.ts'
import { badInput, CANCELLED, CANNOT_GO_ON, Exit, statusOf, WAITS } from '../exit-codes.ts'
import { connect, connectEarly, homeOf } from '../session/connect.ts'
import type { Followed } from '../session/follow-session.ts'
import { print, say, terminalHere } from '../terminal/console.ts'
import { describeWait } from '../terminal/describe-decision.ts'
import { printResult } from '../terminal/print-result.ts'

export interface FixOptions extends Order {
  readonly json: boolean
  /** Stops the session that is at this work already. */
  readonly force: boolean
  /** Ends when the session waits for a person. */
  readonly noWait: boolean
}

export async function fix(options: FixOptions): Promise<number> {
  const home = homeOf()
  const store = await openStore(home.database)
  // The client of Temporal takes as long to load as git takes to answer: both at once.
  const early = connectEarly(home)
  const loading = import('../session/follow-session.ts')
  try {
    const begun = await beginSession(options, {
      home,
      store,
      env: process.env,
      connect: (settings) => connect(home, settings, 'command', early),
      say,
      force: options.force,
      from: terminalHere(),
    })
    if (begun.kind === 'refused') throw badInput(begun.problems)
    if (begun.kind === 'stuck') throw new Exit(CANNOT_GO_ON, begun.reason)
    if (begun.kind === 'done') return finish(begun.result, options)
    const { settings, connected, sessionId } = begun
    try {
      const { followSession } = await loading
      const { noWait } = options
      return show(await followSession({ store, home, settings, connected, sessionId, noWait }), options)
    } finally {
      connected.leave()
    }
  } finally {
    early.drop()
    store.close()
  }
}

function show(followed: Followed, options: FixOptions): number {
  if (followed.kind === 'ended') return finish(followed.result, options)
  if (followed.kind === 'left') return CANCELLED
  const { state } = followed
  say(`session ${state.session_id} ${describeWait(state)}`)
  if (options.json) print(JSON.stringify(state, null, 2))
  return WAITS
}

function finish(result: FixSessionResult, { json }: FixOptions): number {
  printResult(result, json)
  return statusOf(result)
}
