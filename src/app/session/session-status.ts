// A session's current state, and whether it is being worked on. Temporal is asked only if an instance already runs.
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'
import { checkSessionHealth, describeHealthNote, type SessionHealthReport } from './session-health.ts'
import { loadSessionState, type SessionState } from './session-state.ts'

export interface SessionStatus {
  readonly state: SessionState
  readonly health: SessionHealthReport
  /** News for a person besides the status of a session that has not ended. */
  readonly note: string | undefined
}

export async function loadSessionStatus(app: AppContext, session: SessionRecord): Promise<SessionStatus> {
  const health = await checkSessionHealth(app, session)
  // Read after Temporal was asked: a workflow that has ended is in the store by then, unless ended from outside.
  const current = (await app.store.sessions.get(session.session_id)) ?? session
  return { state: await loadSessionState(app, current), health, note: describeHealthNote(current, health) }
}
