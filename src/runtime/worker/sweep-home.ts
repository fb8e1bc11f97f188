// Removes what ended sessions left: expired artifacts, and workspaces whose session was killed during its closing or that could not be
// removed then. The workspace of a living session is never touched.
import { readdir } from 'node:fs/promises'
import { removeSessionFolder } from '../../activities/close/remove-session-folder.ts'
import type { ActivityContext } from '../../activities/context.ts'
import { sweepArtifacts } from '../../artifacts/retention.ts'
import { hasEnded } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Leftover } from '../../platform/git/unruly-files.ts'

/** Returns what still can't be removed. */
export async function sweepHome(context: ActivityContext, settings: Settings): Promise<readonly Leftover[]> {
  const { store, artifacts, sessionsFolder } = context
  const left: Leftover[] = []
  for (const name of await readdir(sessionsFolder)) {
    if (name.startsWith('.')) continue
    const session = await store.sessions.get(name)
    if (session && !hasEnded(session.status)) continue
    const stays = await removeSessionFolder(context, name)
    if (stays) left.push(stays)
  }
  const olderThanDays = settings.artifacts.retention_days
  await sweepArtifacts({ artifacts, index: store.artifacts, olderThanDays, now: new Date() })
  return left
}
