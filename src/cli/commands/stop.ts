// `fixwright cancel SESSION` stops a session for good and waits for its end; `pause` lets it begin no further step until `resume`. Each
// joins or starts an instance.

import { cancelSession } from '../../app/session/cancel-session.ts'
import { findSession } from '../../app/session/find-sessions.ts'
import { withSessionConversation } from '../session/message-session.ts'
import { withApp } from '../session/with-app.ts'
import { eventFormatter, print, printJson, printNotice } from '../terminal/console.ts'
import { printResult } from '../terminal/print-result.ts'

export interface StopOptions {
  readonly json: boolean
  readonly reason?: string | undefined
}

export async function runCancelCommand(typed: string, { json, reason }: StopOptions): Promise<number> {
  return withApp(async (app) => {
    const session = await findSession(app, typed)
    const { session_id } = session
    const formatEvent = eventFormatter(process.stderr)
    const ended = await cancelSession(app, session, {
      reason,
      onEvent: (event) => {
        const line = formatEvent(event)
        if (line !== undefined) printNotice(line)
      },
    })
    if (ended?.result) await printResult(app, ended.result, { json })
    else if (json) printJson({ session_id, status: ended?.status ?? null })
    else print(`session ${session_id} ${ended ? `is closed: ${ended.status}` : 'had never started: it is forgotten'}`)
    return 0
  })
}

export async function runPauseCommand(typed: string, { json, reason }: StopOptions): Promise<number> {
  return withSessionConversation(typed, async ({ send, finish }) => {
    await send('pause', reason === undefined ? {} : { reason })
    return await finish(json)
  })
}

export async function runResumeCommand(typed: string, { json }: { readonly json: boolean }): Promise<number> {
  return withSessionConversation(typed, async ({ send, finish }) => {
    await send('resume', {})
    return await finish(json)
  })
}
