// Takes away what a session has on this host. Files of another user, as checks leave them that run in a container, stay where they are:
// they are told, with the command that removes them, and nothing else waits for them.
import { shellQuote } from '../../domain/text/shell-quote.ts'
import { describeFileError, type Leftover, removePath } from '../../platform/git/files.ts'
import { removeWorkspace } from '../../platform/git/workspace/workspace.ts'
import { appendEvents } from '../append-events.ts'
import { type ActivityContext, type Session, sessionFolder, workspaceFolder } from '../context.ts'

/** Everything, whatever state it is in. Answers with what can't be removed. */
export async function removeSessionFolder(
  context: Pick<ActivityContext, 'sessionsFolder'>,
  sessionId: string,
): Promise<Leftover | undefined> {
  const path = sessionFolder(context, sessionId)
  // By itself, because its marker goes first; what stops that is told by the rest, too.
  await removeWorkspace(workspaceFolder(context, sessionId)).catch(() => undefined)
  return await removePath(path).then(
    () => undefined,
    (error: unknown) => ({ path, reason: describeFileError(error) }),
  )
}

/** For its owner, with what to do. */
export function describeLeftoverFolder({ path, reason }: Leftover): string {
  return `${path} could not be removed (${reason}). It may hold files of another user, left by checks in a container. To remove it: sudo rm -rf ${shellQuote(path)}`
}

/** Once a session: each checkout would say the same, and at its end it is told how to remove them all. */
export async function recordLeftoverCheckout(
  context: Pick<ActivityContext, 'store' | 'masking'>,
  session: Session,
  { path, reason }: Leftover,
): Promise<void> {
  const message = `a fresh checkout could not be removed whole: the rest of it is ${path} (${reason}). It may hold files of another user, left by checks in a container (have it run as you: --user "$(id -u):$(id -g)"). The result stands, and the session says at its end how to remove what is left`
  await appendEvents(context, session.id, [{ key: 'checkouts/left', type: 'fix_log', message, data: { path } }])
}
