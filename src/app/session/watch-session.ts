// Watches sessions through the store, without Temporal or a worker, and starts nothing.
import { setTimeout as delay } from 'node:timers/promises'
import { type SessionEvent, TERMINAL_EVENTS } from '../../domain/session/events/index.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { followEvents } from '../../store/follow-events.ts'
import type { AppContext } from '../context.ts'
import { startPolling } from '../start-polling.ts'
import { checkSessionHealth, describeHealthNote } from './session-health.ts'

const HEALTH_CHECK_MS = 5_000
/** While there is trouble: who waits for its end wants to hear of it. */
const TROUBLE_CHECK_MS = 1_000
const REFRESH_MS = 1_000
const MAX_WATCHED = 100

export interface WatchOptions {
  /** The number of the last event already seen. */
  readonly after?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Ends after the session's last event, or quietly when the signal aborts. */
export function watchEvents(
  { store }: AppContext,
  sessionId: string,
  { after, signal }: WatchOptions = {},
): AsyncGenerator<SessionEvent> {
  return followEvents(store, sessionId, { ...(after === undefined ? {} : { after }), ...(signal ? { signal } : {}) })
}

/** Yields the session now and after each change. */
export async function* watchSession(
  { store }: AppContext,
  sessionId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionRecord> {
  for await (const _ of store.watch({ signal })) {
    const session = await store.sessions.get(sessionId)
    if (session === undefined) return
    yield session
  }
}

/** Yields the latest sessions of the home, oldest first, now and after changes. */
export async function* watchSessions({ store }: AppContext, signal: AbortSignal): AsyncGenerator<SessionRecord[]> {
  for await (const _ of store.watch({ signal })) {
    yield (await store.sessions.list({ limit: MAX_WATCHED })).reverse()
    // A running session writes many times a second.
    await delay(REFRESH_MS, undefined, { signal }).catch(() => undefined)
  }
}

export interface HealthWatch {
  /** An event of work after a trouble is news that it is over, however soon the session ends after it. */
  receive(event: SessionEvent): void
  stop(): void
}

/** Reports, once each, that nobody works on the session, that it has trouble no event shows, and that this is over. */
export function watchHealth(app: AppContext, session: SessionRecord, onNews: (text: string) => void): HealthWatch {
  const { session_id } = session
  let reported: string | undefined
  let reportedAt = 0
  const report = (news: string | undefined): void => {
    if (news !== undefined && news !== reported) {
      reportedAt = Date.now()
      onNews(news)
    }
    if (news === undefined && reported !== undefined) onNews(`session ${session_id} is being worked on again`)
    reported = news
  }
  let checkedAt = Number.NEGATIVE_INFINITY
  const poll = startPolling(TROUBLE_CHECK_MS, async (isStopped) => {
    if (reported === undefined && performance.now() - checkedAt < HEALTH_CHECK_MS) return
    checkedAt = performance.now()
    const health = await checkSessionHealth(app, session)
    // The check may take seconds, and the store may be closed meanwhile.
    if (isStopped()) return
    const current = (await app.store.sessions.get(session_id)) ?? session
    report(describeHealthNote(current, health) ?? health.problem)
  })
  poll.look()
  return {
    receive(event) {
      // What people said, and how others closed it, needs no worker.
      const isWork = event.type !== 'fix_message_refused' && !isTerminalEvent(event)
      if (reported !== undefined && isWork && Date.parse(event.timestamp) >= reportedAt) report(undefined)
    },
    stop: poll.stop,
  }
}

/** Lists the events so far without waiting for more. */
export async function listEventsAfter(
  { store }: AppContext,
  sessionId: string,
  after: number,
): Promise<readonly SessionEvent[]> {
  return await store.events.listAfter(sessionId, after)
}

export async function getLastEventNumber(app: Pick<AppContext, 'store'>, sessionId: string): Promise<number> {
  return (await getLastEvent(app, sessionId))?.seq ?? 0
}

export async function getLastEvent(
  { store }: Pick<AppContext, 'store'>,
  sessionId: string,
): Promise<SessionEvent | undefined> {
  return await store.events.findLast(sessionId)
}

export function isTerminalEvent({ type }: SessionEvent): boolean {
  return TERMINAL_EVENTS.has(type)
}
