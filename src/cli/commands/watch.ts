// `fixwright watch SESSION`: a session's events from the first (or `--since`) to its end. It starts nothing.
import { findSession } from '../../app/session/find-sessions.ts'
import { readProgress } from '../../app/session/session-progress.ts'
import { loadResult, toExitCode } from '../../app/session/session-result.ts'
import { watchEvents, watchHealth } from '../../app/session/watch-session.ts'
import { LEFT } from '../exit-codes.ts'
import { resolveSession } from '../session/resolve-session.ts'
import { withApp } from '../session/with-app.ts'
import { eventFormatter, print, printJson, printNotice } from '../terminal/console.ts'
import { showProgress } from '../terminal/live-line.ts'
import { printResult } from '../terminal/print-result.ts'
import { ringOnNews } from '../terminal/ring.ts'

export interface WatchCommandOptions {
  readonly json: boolean
  /** The number of the last event already seen. */
  readonly since: number
}

export async function runWatchCommand(
  typed: string | undefined,
  { json, since }: WatchCommandOptions,
): Promise<number> {
  return withApp(async (app) => {
    const session = await resolveSession(app, typed)
    const id = session.session_id
    const left = new AbortController()
    const leave = (): void => left.abort()
    process.once('SIGINT', leave)
    process.once('SIGTERM', leave)
    process.once('SIGHUP', leave)
    const health = session.ended_at === undefined ? watchHealth(app, session, printNotice) : undefined
    const progress = session.ended_at === undefined ? showProgress(readProgress(app, id)) : undefined
    try {
      const formatEvent = eventFormatter(process.stdout)
      for await (const event of watchEvents(app, id, { after: since, signal: left.signal })) {
        health?.receive(event)
        const line = json ? undefined : formatEvent(event)
        if (json) printJson(event, { oneLine: true })
        if (line !== undefined) print(line)
        ringOnNews(session, event)
        if (!json && event.type === 'fix_waiting' && event.data.answer) printNotice(`  to answer: ${event.data.answer}`)
      }
    } finally {
      process.off('SIGINT', leave)
      process.off('SIGTERM', leave)
      process.off('SIGHUP', leave)
      progress?.stop()
      health?.stop()
    }
    if (left.signal.aborted && (await findSession(app, id)).ended_at === undefined) {
      printNotice(`session ${id} is not touched by that: "fixwright cancel ${id}" would end it`)
      return LEFT
    }
    const result = await loadResult(app, id)
    if (!json) await printResult(app, result, { json })
    return toExitCode(result)
  })
}
