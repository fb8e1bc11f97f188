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
    const folder = join(context.sessionsFolder, '.command', `${input.commentId}`)
    try {
      const known = await resolveCommit(root, 'HEAD')
      if (known === undefined)
        throw new FixwrightError('repository_unusable', 'the repository of the votes has no commit')
      await fetchCommits({ root, folder, known, commits, ...(await forge.gitTarget()) })
    } catch (error) {
      // The thread shows this to anybody: the command and the folder are nobody's business there.
      throw error instanceof GitError
        ? new Error(error.stderr.trim() || 'git could not run in the repository of the votes')
        : error
    }
    return commits
  })
}
