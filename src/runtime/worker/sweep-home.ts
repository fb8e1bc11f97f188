// Removes what ended sessions left: expired artifacts, and workspaces whose session was killed during its closing or that could not be
// removed then. The workspace of a living session is never touched.
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeSessionFolder } from '../../activities/close/remove-session-folder.ts'
import type { ActivityContext } from '../../activities/context.ts'
import { sweepArtifacts } from '../../artifacts/retention.ts'
import { hasEnded } from '../../domain/session/session.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { UnremovedPath } from '../../platform/git/unruly-files.ts'
import type { HomePaths } from '../home/home.ts'

/** Git directories that one step makes and removes; they hold what a killed worker left. */
const SHORT_LIVED = ['.push', '.landing']
const DAY_MS = 86_400_000

/** Returns what still can't be removed. */
export async function sweepHome(
  context: ActivityContext,
  settings: Settings,
  { path, repositories }: Pick<HomePaths, 'path' | 'repositories'>,
): Promise<readonly UnremovedPath[]> {
  const { store, artifacts, sessionsFolder } = context
  for (const name of SHORT_LIVED) await removeOldFolders(join(sessionsFolder, name))
  await removeOldFolders(join(path, 'fetch'))
  await removeOldFolders(repositories, async (name) => {
    if (name.startsWith('.fetch-')) return true
    // The clone was not finished: a repository that was removed still has its record, and keeps its folder.
    return name.startsWith('repo-') && (await store.repositories.get(name)) === undefined
  })
  const left: UnremovedPath[] = []
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

async function removeOldFolders(
  parent: string,
  mayGo: (name: string) => Promise<boolean> = async () => true,
): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const folder = join(parent, name)
    // Its owner may remove it meanwhile.
    const found = await stat(folder).catch(() => undefined)
    if (found === undefined || found.mtimeMs >= Date.now() - DAY_MS) continue
    if (await mayGo(name)) await rm(folder, { recursive: true, force: true })
  }
}
