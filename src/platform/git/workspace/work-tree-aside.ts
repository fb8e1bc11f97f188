// Sets the session's work tree aside while another tree stands in its place: what a setup made often names its own folder (a virtual
// environment does), so a copy of that works only there.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { clearPath, getPathKind } from '../unruly-files.ts'
import type { Workspace } from './object-store.ts'

function asidePath({ directory }: Workspace): string {
  return join(directory, 'aside')
}

/** Leaves the place of the work tree empty or, after a worker died, with what has to be cleared from there. */
export async function setWorkTreeAside(workspace: Workspace): Promise<void> {
  if (getPathKind(asidePath(workspace)) === 'missing') await rename(workspace.tree, asidePath(workspace))
}

/** Puts it back, also after a worker died. */
export async function putWorkTreeBack(workspace: Workspace): Promise<void> {
  if (getPathKind(asidePath(workspace)) === 'missing') return
  await clearPath(workspace.tree, workspace.directory)
  await rename(asidePath(workspace), workspace.tree)
}
