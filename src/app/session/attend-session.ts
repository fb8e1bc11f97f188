// Keeps an instance alive for a session that somebody stays with until its end.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { AppContext } from '../context.ts'
import { type KeptInstance, keepInstanceAlive } from '../instance/keep-instance-alive.ts'
import { findWorkflowUrl } from '../instance/workflow-url.ts'

export interface AttendedSession extends KeptInstance {
  readonly session: SessionRecord
  /** The workflow's page in Temporal's UI, if the instance has a UI. */
  readonly workflowUrl: string | undefined
}

export async function attendSession(app: AppContext, sessionId: string, settings: Settings): Promise<AttendedSession> {
  const session = await app.store.sessions.get(sessionId)
  if (!session) {
    throw new FixwrightError('session_in_the_way', `session ${sessionId} is not in the store of this home`)
  }
  const { workflow_id: workflowId } = session
  const kept = await keepInstanceAlive(app, { workflowId, settings })
  return { session, workflowUrl: findWorkflowUrl(app.home, session) ?? undefined, ...kept }
}
