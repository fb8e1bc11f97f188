// Finds a session by its id or the beginning of it, and lists those of the home.

import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { isWaitingForPerson, type SessionRecord } from '../../domain/session/session.ts'
import type { SessionOverview } from '../../domain/session/session-state.ts'
import type { SessionFilter } from '../../store/sessions.ts'
import type { AppContext } from '../context.ts'
import { findRepositoryAround } from '../find-repository.ts'
import { loadOverview } from './session-overview.ts'

const MAX_SUGGESTIONS = 5
const MAX_COMPARED = 200
const NO_LIMIT = 100_000

export async function findSession({ store }: Pick<AppContext, 'store'>, typed: string): Promise<SessionRecord> {
  const found = await store.sessions.findByPrefix(typed)
  if (found.kind === 'one') return found.session
  if (found.kind === 'several') {
    const ids = found.ids.join(', ')
    throw notFound(`"${typed}" is the beginning of several sessions: ${ids}; give more of it`)
  }
  const recent = (await store.sessions.list({ limit: MAX_COMPARED })).map(({ session_id }) => session_id)
  if (recent.length === 0) throw notFound(`there is no session ${typed}: there is none at all yet`)
  const { findNearest } = await import('../../runtime/settings/schema-introspection.ts')
  const near = findNearest(typed, recent)
  const latest = `the latest are ${recent.slice(0, MAX_SUGGESTIONS).join(', ')}`
  throw notFound(`there is no session ${typed}; ${near === undefined ? latest : `did you mean ${near}?`}`)
}

/** The session with exactly this id. */
export async function getSession({ store }: Pick<AppContext, 'store'>, id: string): Promise<SessionRecord> {
  const session = await store.sessions.get(id)
  if (session !== undefined) return session
  throw notFound(`there is no session ${id}`)
}

/** The latest session of the repository around this folder; outside of any repository, of the home. */
export async function findLatestSession({ store }: Pick<AppContext, 'store'>, folder: string): Promise<SessionRecord> {
  const repository = findRepositoryAround(folder)
  const known = repository === undefined ? undefined : await store.repositories.findByPath(repository)
  const isElsewhere = repository !== undefined && known === undefined
  const [latest] = isElsewhere ? [] : await store.sessions.list({ repository_id: known?.repository_id, limit: 1 })
  if (latest !== undefined) return latest
  const where = repository === undefined ? 'yet' : `of ${repository} yet; "fixwright list" shows those of others`
  throw notFound(`there is no session ${where}`)
}

function notFound(message: string): FixwrightError {
  return new FixwrightError('session_not_found', message)
}

export interface SessionListRequest {
  readonly repository_id?: string | undefined
  /** Default: all sessions. */
  readonly limit?: number | undefined
}

export interface SessionList {
  readonly sessions: readonly SessionOverview[]
  /** True if there are more sessions than the limit. */
  readonly isCut: boolean
}

/** Those that wait for a person come first, then the newest. */
export async function listSessions(
  app: Pick<AppContext, 'store' | 'home'>,
  { repository_id, limit = NO_LIMIT }: SessionListRequest,
): Promise<SessionList> {
  const { store } = app
  // Newer sessions must not push an open question off the list.
  const running = await store.sessions.list({ repository_id, running: true, limit: NO_LIMIT })
  const newest = await store.sessions.list({ repository_id, limit: limit + 1 })
  const found = [...running.filter(isWaitingForPerson), ...newest.filter((session) => !isWaitingForPerson(session))]
  const overview = (session: SessionRecord) => loadOverview(app, session)
  return { sessions: await Promise.all(found.slice(0, limit).map(overview)), isCut: found.length > limit }
}

/** The newest first, for a list that is read in pages. */
export async function listSessionPage(
  app: Pick<AppContext, 'store' | 'home'>,
  filter: SessionFilter,
): Promise<readonly SessionOverview[]> {
  const sessions = await app.store.sessions.list(filter)
  return await Promise.all(sessions.map((session) => loadOverview(app, session)))
}
