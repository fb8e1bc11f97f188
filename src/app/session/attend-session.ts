// A session that somebody stays with until it has ended: an instance is kept for it, and it can be told something.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { AppContext } from '../context.ts'
import { keepInstanceAlive } from '../instance/keep-instance-alive.ts'

export interface AttendedSession {
  readonly session: SessionRecord
  /** Its workflow in Temporal's UI, where the instance has one. */
  readonly workflowUrl: string | undefined
  /** The instance may end from now on, should nobody else need it. */
  stop(): void
}

export async function attendSession(app: AppContext, sessionId: string, settings: Settings): Promise<AttendedSession> {
  const session = await app.store.sessions.get(sessionId)
  if (!session) {
    throw new FixwrightError('session_in_the_way', `session ${sessionId} is not in the store of this home`)
  }
  const { workflow_id: workflowId } = session
  const kept = await keepInstanceAlive(app, { workflowId, settings })
  const place = app.instance.current()?.instance
  const base = place?.uiUrl ? `${place.uiUrl}/namespaces/${place.namespace}/workflows/` : undefined
  return { session, workflowUrl: base && `${base}${encodeURIComponent(workflowId)}`, stop: kept.stop }
}
