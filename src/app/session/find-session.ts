// Finds a session by its id or the beginning of it.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'

const MAX_SUGGESTIONS = 5
const MAX_COMPARED = 200

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

function notFound(message: string): FixwrightError {
  return new FixwrightError('session_not_found', message)
}
