// Removes what ended sessions left: expired artifacts, and workspaces whose session was killed during its closing or that could not be
// removed then. The workspace of a living session is never touched.
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeSessionFolder } from '../../activities/close/remove-session-folder.ts'
import type { ActivityContext } from '../../activities/context.ts'
import { sweepArtifacts } from '../../artifacts/retention.ts'
import { hasEnded } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Leftover } from '../../platform/git/unruly-files.ts'

/** Git directories that one step makes and removes; they hold what a killed worker left. */
const SHORT_LIVED = ['.push', '.landing']
const DAY_MS = 86_400_000

/** Returns what still can't be removed. */
export async function sweepHome(context: ActivityContext, settings: Settings): Promise<readonly Leftover[]> {
  const { store, artifacts, sessionsFolder } = context
  for (const name of SHORT_LIVED) await removeOldFolders(join(sessionsFolder, name))
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

async function removeOldFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const folder = join(parent, name)
    const { mtimeMs } = await stat(folder)
    if (mtimeMs < Date.now() - DAY_MS) await rm(folder, { recursive: true, force: true })
  }
}
