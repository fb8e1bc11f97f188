// Removes a session's files on this host. Nothing waits for another user's files (a check's container leaves them).
import { describeFileError, removePath, type UnremovedPath } from '../../platform/git/unruly-files.ts'
import { removeWorkspace } from '../../platform/git/workspace/workspace.ts'
import { type ActivityContext, sessionFolder, temporaryTodoFolder, workspaceFolder } from '../context.ts'

export async function removeSessionFolder(
  context: Pick<ActivityContext, 'sessionsFolder'>,
  sessionId: string,
): Promise<UnremovedPath | undefined> {
  const path = sessionFolder(context, sessionId)
  // Before the session's own folder, by which a successor of a killed worker knows that something is left.
  await removePath(temporaryTodoFolder(sessionId)).catch(() => undefined)
  // First and by itself: its marker has to go before its files. A failure shows in the removal of the rest, too.
  await removeWorkspace(workspaceFolder(context, sessionId)).catch(() => undefined)
  return await removePath(path).then(
    () => undefined,
    (error: unknown) => ({ path, reason: describeFileError(error) }),
  )
}
