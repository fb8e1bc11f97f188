// A session as it stands, and whether somebody works on it. Starts nothing: Temporal is asked only where an instance runs already.
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'
import { checkSessionHealth, describeHealthNote, type SessionHealthReport } from './session-health.ts'
import { loadSessionState, type SessionState } from './session-state.ts'

export interface SessionStatus {
  readonly state: SessionState
  readonly health: SessionHealthReport
  /** What a person should know of a session that has not ended, besides its status. */
  readonly note: string | undefined
}

export async function loadSessionStatus(app: AppContext, session: SessionRecord): Promise<SessionStatus> {
  const health = await checkSessionHealth(app, session)
  // Read after Temporal was asked: what it calls ended is then in the store, unless it was ended from outside.
  const current = (await app.store.sessions.get(session.session_id)) ?? session
  return { state: await loadSessionState(app, current), health, note: describeHealthNote(current, health) }
}
