// `fixwright watch SESSION`: a session's events from the first (or `--since`) to its end, wherever it runs. Reads the store and
// starts nothing: where nobody works on the session it says so, and goes on watching for who takes it up.
import { checkSessionHealth } from '../../app/session/session-health.ts'
import { followEvents } from '../../store/follow-events.ts'
import { CANCELLED, toExitCode } from '../exit-codes.ts'
import { withStore } from '../session/connect.ts'
import { resolveSession } from '../session/find-session.ts'
import { eventFormatter, print, printNotice } from '../terminal/console.ts'
import { loadResult, printResult } from '../terminal/print-result.ts'
import { describeHealthNote } from './status.ts'

const HEALTH_CHECK_MS = 5_000

export interface WatchOptions {
  readonly json: boolean
  /** The number of the last event already seen. */
  readonly since: number
}

export async function runWatchCommand(typed: string, { json, since }: WatchOptions): Promise<number> {
  return withStore(async (store, home) => {
    const session = await resolveSession(store, typed)
    const id = session.session_id
    const left = new AbortController()
    const leave = (): void => left.abort()
    process.once('SIGINT', leave)
    process.once('SIGTERM', leave)
    const looking = session.ended_at === undefined ? lookAfter() : undefined
    try {
      const formatEvent = eventFormatter(process.stdout)
      for await (const event of followEvents(store, id, { after: since, signal: left.signal })) {
        const line = json ? JSON.stringify(event) : formatEvent(event)
        if (line !== undefined) print(line)
        if (!json && event.type === 'fix_waiting' && event.data.answer) printNotice(`  to answer: ${event.data.answer}`)
      }
    } finally {
      process.off('SIGINT', leave)
      process.off('SIGTERM', leave)
      looking?.end()
    }
    const ended = await store.sessions.get(id)
    if (left.signal.aborted && ended?.ended_at === undefined) {
      printNotice(`session ${id} is not touched by that: "fixwright cancel ${id}" would end it`)
      return CANCELLED
    }
    const result = await loadResult(store, id)
    if (!json) printResult(result, false)
    return toExitCode(result)

    /** Tells when nobody works on it, and of troubles that no event tells; each once. */
    function lookAfter() {
      let shown: string | undefined
      let busy = false
      let isOver = false
      const look = async (): Promise<void> => {
        if (busy) return
        busy = true
        const health = await checkSessionHealth(session, home, process.env)
        // It may take seconds, and meanwhile the store may be closed.
        if (isOver) return
        const news = describeHealthNote((await store.sessions.get(id)) ?? session, health) ?? health.problem
        if (news !== undefined && news !== shown) printNotice(news)
        if (news === undefined && shown !== undefined) printNotice(`session ${id} is being worked on again`)
        shown = news
        busy = false
      }
      const timer = setInterval(look, HEALTH_CHECK_MS)
      void look()
      return {
        end: () => {
          isOver = true
          clearInterval(timer)
        },
      }
    }
  })
}
