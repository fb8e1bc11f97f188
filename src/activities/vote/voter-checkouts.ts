// Each voter reads a checkout of its own: Claude a clone with its history, Gemini the plain files without those that instruct agents.
import { join } from 'node:path'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { openWorkspace } from '../../platform/git/workspace/workspace.ts'
import { type ReadableTree, writeReadableTree } from '../challenge/write-readable-tree.ts'
import { type ActivityContext, type Session, sessionFolder } from '../context.ts'
import { loadVoteSubject, type PinnedChange } from './pinned-change.ts'

/** Also holds the objects from which the change is read. Safe to repeat: a later call finds it. */
export async function openClone(context: ActivityContext, session: Session): Promise<Workspace> {
  return await openWorkspace({
    repository: session.record.repository,
    base: loadVoteSubject(session).head.commit,
    branch: 'under-review',
    directory: join(votersFolder(context, session), 'claude'),
    ignore: [],
  })
}

export async function writePlainTree(
  context: ActivityContext,
  session: Session,
  { gitDir, head, changes }: PinnedChange,
): Promise<ReadableTree> {
  const folder = join(votersFolder(context, session), 'gemini')
  const changed = changes.map(({ path }) => path)
  return await writeReadableTree(context, { gitDir }, { tree: head.commit, changed, folder })
}

function votersFolder(context: ActivityContext, session: Session): string {
  return join(sessionFolder(context, session.id), 'voters')
}
