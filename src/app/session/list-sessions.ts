// Lists the sessions of this home, those that wait for a person first, then the newest.
import { isWaitingForPerson, type SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'
import { loadOverview, type SessionOverview } from './session-overview.ts'

const NO_LIMIT = 100_000

export interface SessionListRequest {
  /** The root of the repository. */
  readonly repository?: string | undefined
  /** Default: all sessions. */
  readonly limit?: number | undefined
}

export interface SessionList {
  readonly sessions: readonly SessionOverview[]
  /** True if there are more sessions than the limit. */
  readonly isCut: boolean
}

export async function listSessions(
  { store }: AppContext,
  { repository, limit = NO_LIMIT }: SessionListRequest,
): Promise<SessionList> {
  // Newer sessions must not push an open question off the list.
  const running = await store.sessions.list({ repository, running: true, limit: NO_LIMIT })
  const newest = await store.sessions.list({ repository, limit: limit + 1 })
  const found = [...running.filter(isWaitingForPerson), ...newest.filter((session) => !isWaitingForPerson(session))]
  const overview = (session: SessionRecord) => loadOverview(store, session)
  return { sessions: await Promise.all(found.slice(0, limit).map(overview)), isCut: found.length > limit }
}
