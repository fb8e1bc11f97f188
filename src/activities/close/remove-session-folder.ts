// Takes away what a session has on this host. Files of another user, as checks leave them that run in a container, stay where they are:
// they are told, with the command that removes them, and nothing else waits for them.
import { quoted } from '../../domain/text/shell-quote.ts'
import { type Left, removeAll, whyOf } from '../../platform/git/files.ts'
import { removeWorkspace } from '../../platform/git/workspace/workspace.ts'
import { tell } from '../append-events.ts'
import { folderOf, type Session, type Workshop, workspaceFolder } from '../context.ts'

/** Everything, whatever state it is in. Answers with what can't be removed. */
export async function clearSession(shop: Pick<Workshop, 'sessions'>, sessionId: string): Promise<Left | undefined> {
  const path = folderOf(shop, sessionId)
  // By itself, because its marker goes first; what stops that is told by the rest, too.
  await removeWorkspace(workspaceFolder(shop, sessionId)).catch(() => undefined)
  return await removeAll(path).then(
    () => undefined,
    (error: unknown) => ({ path, why: whyOf(error) }),
  )
}

/** For its owner, with what to do. */
export function notCleared({ path, why }: Left): string {
  return `${path} could not be removed (${why}). It may hold files of another user, left by checks in a container. To remove it: sudo rm -rf ${quoted(path)}`
}

/** Once a session: each checkout would say the same, and at its end it is told how to remove them all. */
export async function tellLeft(
  shop: Pick<Workshop, 'store' | 'masking'>,
  session: Session,
  { path, why }: Left,
): Promise<void> {
  const message = `a fresh checkout could not be removed whole: the rest of it is ${path} (${why}). It may hold files of another user, left by checks in a container (have it run as you: --user "$(id -u):$(id -g)"). The result stands, and the session says at its end how to remove what is left`
  await tell(shop, session.id, [{ key: 'checkouts/left', type: 'fix_log', message, data: { path } }])
}
