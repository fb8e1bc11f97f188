// Clears away what ended sessions left: the workspaces of sessions that were killed while they closed, and artifacts whose
// time is over. A workspace whose session still lives is never touched.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workshop } from '../activities/workshop.ts'
import { sweepArtifacts } from '../artifacts/sweep.ts'
import { hasEnded } from '../domain/session.ts'
import type { Settings } from '../domain/settings.ts'
import { removeAll } from '../git/files.ts'
import { removeWorkspace } from '../git/workspace.ts'

export async function sweepHome({ store, artifacts, sessions }: Workshop, settings: Settings): Promise<void> {
  for (const name of await readdir(sessions)) {
    if (name.startsWith('.')) continue
    const session = await store.sessions.get(name)
    if (session && !hasEnded(session.status)) continue
    await removeWorkspace(join(sessions, name, 'workspace'))
    await removeAll(join(sessions, name))
  }
  const olderThanDays = settings.artifacts.retention_days
  await sweepArtifacts({ artifacts, index: store.artifacts, olderThanDays, now: new Date() })
}
