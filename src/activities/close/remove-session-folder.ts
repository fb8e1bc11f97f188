// Takes away what a session has on this host. Files of another user, as checks leave them that run in a container, stay where they are:
// they are told, with the command that removes them, and nothing else waits for them.
import { describeFileError, type Leftover, removePath } from '../../platform/git/files.ts'
import { removeWorkspace } from '../../platform/git/workspace/workspace.ts'
import { type ActivityContext, sessionFolder, workspaceFolder } from '../context.ts'

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
