// Reads whether a pull request is open, closed or merged, by one request that costs nothing of the limit while it stays as it was.
import type { ForgeAddress } from '../../../domain/forge/forge-address.ts'
import { ForgeError, type PullReading } from '../forge.ts'
import type { GitHubClient } from './github-client.ts'

type CallGitHub = <T>(request: (client: GitHubClient) => Promise<T>) => Promise<T>

export async function readPullState(
  { owner, name: repo }: ForgeAddress,
  call: CallGitHub,
  { number: pull_number, tag }: { readonly number: number; readonly tag: string | undefined },
): Promise<PullReading | undefined> {
  const headers = tag === undefined ? {} : { 'if-none-match': tag }
  try {
    const { data, headers: got } = await call(({ octokit }) =>
      octokit.rest.pulls.get({ owner, repo, pull_number, headers }),
    )
    return {
      tag: got.etag,
      state: data.merged ? 'merged' : data.state,
      branch: data.head.ref,
      base: data.base.ref,
      head: data.head.sha,
      // Before the merge, it is a commit that GitHub tries the merge with.
      mergeCommit: data.merged ? (data.merge_commit_sha ?? undefined) : undefined,
    }
  } catch (error) {
    // Octokit takes "not modified" for a failure.
    if (error instanceof ForgeError && error.status === 304) return undefined
    throw error
  }
}
