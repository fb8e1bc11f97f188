// Finds the session that a command is about: the one that was typed, else the latest here, which is then named.
import type { AppContext } from '../../app/context.ts'
import { findLatestSession, findSession } from '../../app/session/find-sessions.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { paint, printNotice } from '../terminal/console.ts'
import { formatAge } from '../terminal/table.ts'

export async function resolveSession(app: AppContext, typed: string | undefined): Promise<SessionRecord> {
  if (typed !== undefined) return await findSession(app, typed)
  const latest = await findLatestSession(app, process.cwd())
  printNotice(paint('dim', `session ${latest.session_id}, the latest here, started ${formatAge(latest.started_at)}`))
  return latest
}
