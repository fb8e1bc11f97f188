// `fixwright watch SESSION`: a session's events from the first (or `--since`) to its end, wherever it runs. Reads the store and
// starts nothing: where nobody works on the session it says so, and goes on watching for who takes it up.
import { healthOf } from '../../app/session-health.ts'
import { followEvents } from '../../store/follow-events.ts'
import { CANCELLED, statusOf } from '../exit-codes.ts'
import { withStore } from '../session/connect.ts'
import { sessionFor } from '../session/find-session.ts'
import { print, say, storyteller } from '../terminal/console.ts'
import { printResult, resultOf } from '../terminal/print-result.ts'
import { noteOn } from './status.ts'

const HEALTH_MS = 5_000

export interface WatchOptions {
  readonly json: boolean
  /** The number of the last event already seen. */
  readonly since: number
}

export async function watch(typed: string, { json, since }: WatchOptions): Promise<number> {
  return withStore(async (store, home) => {
    const session = await sessionFor(store, typed)
    const id = session.session_id
    const left = new AbortController()
    const leave = (): void => left.abort()
    process.once('SIGINT', leave)
    process.once('SIGTERM', leave)
    const looking = session.ended_at === undefined ? lookAfter() : undefined
    try {
      const tell = storyteller(process.stdout)
      for await (const event of followEvents(store, id, { after: since, signal: left.signal })) {
        const line = json ? JSON.stringify(event) : tell(event)
        if (line !== undefined) print(line)
        if (!json && event.type === 'fix_waiting' && event.data?.answer) say(`  to answer: ${event.data.answer}`)
      }
    } finally {
      process.off('SIGINT', leave)
      process.off('SIGTERM', leave)
      looking?.end()
    }
    const ended = await store.sessions.get(id)
    if (left.signal.aborted && ended?.ended_at === undefined) {
      say(`session ${id} is not touched by that: "fixwright cancel ${id}" would end it`)
      return CANCELLED
    }
    const result = await resultOf(store, id)
    if (!json) printResult(result, false)
    return statusOf(result)

    /** Tells when nobody works on it, and of troubles that no event tells; each once. */
    function lookAfter() {
      let told: string | undefined
      let busy = false
      let isOver = false
      const look = async (): Promise<void> => {
        if (busy) return
        busy = true
        const health = await healthOf(session, home, process.env)
        // It may take seconds, and meanwhile the store may be closed.
        if (isOver) return
        const news = noteOn((await store.sessions.get(id)) ?? session, health) ?? health.trouble
        if (news !== undefined && news !== told) say(news)
        if (news === undefined && told !== undefined) say(`session ${id} is being worked on again`)
        told = news
        busy = false
      }
      const timer = setInterval(look, HEALTH_MS)
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
