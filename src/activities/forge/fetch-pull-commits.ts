// Brings the commits that a command is about into the repository, as objects alone, before a session starts from them.
import { join } from 'node:path'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { ForgeOutcome, PullCommitsInput } from '../../domain/workflow-types/index.ts'
import { GitError } from '../../platform/git/git.ts'
import { fetchCommits } from '../../platform/git/repository/fetch-commits.ts'
import { resolveCommit } from '../../platform/git/repository/inspect.ts'
import type { ActivityContext } from '../context.ts'
import { openSessionForge, toForgeOutcome } from './forge-outcomes.ts'

export async function fetchPullCommits(
  context: ActivityContext,
  { repository: root, commits, ...input }: PullCommitsInput,
): Promise<ForgeOutcome<readonly string[]>> {
  return await toForgeOutcome('read', async () => {
    const forge = await openSessionForge(context, input)
    const known = await resolveCommit(root, 'HEAD')
    if (known === undefined) throw new FixwrightError('repository_unusable', `${root} has no commit`)
    const folder = join(context.sessionsFolder, '.command', `${input.commentId}`)
    try {
      await fetchCommits({ root, folder, known, commits, ...(await forge.gitTarget()) })
    } catch (error) {
      // The thread shows this: what was run, and where, says nothing there.
      throw error instanceof GitError ? new Error(error.stderr.trim() || error.message) : error
    }
    return commits
  })
}
