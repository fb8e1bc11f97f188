// `fixwright cancel SESSION`: stops a session for good and waits until it has ended. What is committed stays, the attempt in
// work is taken back. That takes a worker, so an instance is joined or started; a workflow that is gone is closed in the store.

import { FixwrightError } from '../../app/errors.ts'
import { sendMessage } from '../../app/session/send-message.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Home } from '../../runtime/home/home.ts'
import { followEvents } from '../../store/follow-events.ts'
import type { Store } from '../../store/store.ts'
import { connectFromCli, loadSessionSettings, withStore } from '../session/connect.ts'
import { resolveSession } from '../session/find-session.ts'
import { describeTerminalHost, eventFormatter, print, printNotice } from '../terminal/console.ts'
import { printResult } from '../terminal/print-result.ts'

/** Ending a CLI takes its grace; a worker that died first has to be missed and replaced. */
const END_WITHIN_MS = 120_000
/** A worker that was just started gets so long to say that it heard. */
const ANSWER_WITHIN_MS = 20_000

export interface CancelOptions {
  readonly json: boolean
  readonly reason?: string | undefined
}

export async function runCancelCommand(typed: string, { json, reason }: CancelOptions): Promise<number> {
  return withStore(async (store, home) => {
    const session = await resolveSession(store, typed)
    const id = session.session_id
    if (session.ended_at !== undefined) printNotice(`session ${id} has ended already: ${session.status}`)
    else await cancelAndWait(store, home, session, reason)
    const ended = await store.sessions.get(id)
    if (ended?.result) printResult(ended.result, json)
    else if (json) print(JSON.stringify({ session_id: id, status: ended?.status ?? null }, null, 2))
    else print(`session ${id} ${ended ? `is closed: ${ended.status}` : 'had never started: it is forgotten'}`)
    return 0
  })
}

async function cancelAndWait(
  store: Store,
  home: Home,
  session: SessionRecord,
  reason: string | undefined,
): Promise<void> {
  const { session_id } = session
  const seen = (await store.events.findLast(session_id))?.seq ?? 0
  const connected = await connectFromCli(home, await loadSessionSettings(home, session), 'command')
  try {
    await connected.reconcile()
    const { isSessionRunning } = await import('../../client/describe-workflow.ts')
    const isRunning = await isSessionRunning(connected.client, session)
    if (isRunning) {
      printNotice(`cancelling session ${session_id}: committed stages stay, the attempt in work is taken back`)
      const client = async () => connected.client
      const result = await sendMessage({ store, session, client, answerWithinMs: ANSWER_WITHIN_MS }, 'cancel', {
        from: describeTerminalHost(),
        ...(reason === undefined ? {} : { reason }),
      })
      if (result.kind === 'refused') printNotice(result.reason)
    }
    await waitForEnd(store, session_id, isRunning ? seen : undefined)
  } finally {
    connected.close()
  }
}

async function waitForEnd(store: Store, id: string, after: number | undefined): Promise<void> {
  const formatEvent = eventFormatter(process.stderr)
  if (after !== undefined) {
    for await (const event of followEvents(store, id, { after, signal: AbortSignal.timeout(END_WITHIN_MS) })) {
      const line = formatEvent(event)
      if (line !== undefined) printNotice(line)
    }
  }
  const session = await store.sessions.get(id)
  if (session === undefined || session.ended_at !== undefined) return
  const why =
    after === undefined
      ? 'its workflow has not started yet; try again in a minute'
      : `it has not ended within ${END_WITHIN_MS / 1000} s, but it was told to; "fixwright watch ${id}" shows whether it does`
  throw new FixwrightError('still_running', `session ${id} is not cancelled yet: ${why}`)
}
