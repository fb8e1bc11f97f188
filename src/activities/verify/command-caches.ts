// The caches of compilers in a sandbox whose home is empty in each run: what the checks of the untouched base left in `~/.cache` is kept
// before any agent that can write is called. Later runs get a copy, which goes with them: what they compile reaches no other run.
// Gap: where another session's results on the base are taken over, the checks do not run on it, and leave none.
import { join } from 'node:path'
import { getPathKind, readRegularFile, removePath } from '../../platform/git/unruly-files.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { copySealed, placeSealed } from '../../platform/git/workspace/prepared-files.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'

const CACHES = '.cache'

function cacheFolder({ directory, sharedFrom = directory }: Workspace): string {
  return join(sharedFrom, 'caches')
}

function sealFile({ directory, sharedFrom = directory }: Workspace): string {
  return join(sharedFrom, 'caches.seal')
}

/** Keeps the caches in this home in the place of earlier ones. */
export async function keepCaches(workspace: Workspace, home: string): Promise<void> {
  const made = join(home, CACHES)
  if (getPathKind(made) !== 'directory') return
  await removePath(sealFile(workspace))
  await removePath(cacheFolder(workspace))
  // A cache is no loss: a strange entry, or a full disk, only makes later runs slower.
  const seal = await copySealed(made, cacheFolder(workspace)).catch(() => undefined)
  if (seal !== undefined) writeFileAtomically(sealFile(workspace), seal)
}

/** Puts a copy of the kept caches into a home. */
export async function placeCaches(workspace: Workspace, home: string): Promise<void> {
  const seal = readRegularFile(sealFile(workspace))
  if (seal === undefined) return
  const to = join(home, CACHES)
  await placeSealed(cacheFolder(workspace), seal, to).catch(() => removePath(to))
}
