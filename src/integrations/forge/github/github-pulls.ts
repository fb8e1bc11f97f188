// What GitHub takes and gives about one pull request: comments, reviews, and the verdict on a commit. An App says it by a check run, which a
// person's token can't make; that says it by a status.
import type { ForgeAddress } from '../../../domain/forge/forge-address.ts'
import { truncateText } from '../../../domain/text/truncate.ts'
import type { ForgeApi, ForgeIdentity } from '../forge.ts'
import type { GitHubClient } from './github-client.ts'
import { toPull } from './to-pull.ts'

type PullCalls = Pick<
  ForgeApi,
  | 'getPull'
  | 'listComments'
  | 'createComment'
  | 'editComment'
  | 'deleteComment'
  | 'listLineComments'
  | 'listApprovals'
  | 'postReview'
  | 'dismissApproval'
  | 'listVerdictKeys'
  | 'setVerdict'
>

const PER_PAGE = 100
const MAX_DESCRIPTION = 140
/** Neither `neutral` nor `skipped`: both satisfy a required check. */
const CONCLUSIONS = { approved: 'success', not_approved: 'failure', no_verdict: 'action_required' } as const
const STATES = { approved: 'success', not_approved: 'failure', no_verdict: 'error' } as const

export function createPullCalls(
  { owner, name: repo }: ForgeAddress,
  call: <T>(request: (client: GitHubClient) => Promise<T>) => Promise<T>,
  identity: () => Promise<ForgeIdentity>,
): PullCalls {
  return {
    getPull: async (pull_number) => {
      const { data } = await call(({ octokit }) => octokit.rest.pulls.get({ owner, repo, pull_number }))
      return toPull(data, data.merged)
    },
    listComments: async (issue_number) => {
      const asked = { owner, repo, issue_number, per_page: PER_PAGE }
      const found = await call(({ octokit }) => octokit.paginate(octokit.rest.issues.listComments, asked))
      return found.map(({ id, html_url: url, user, body }) => ({
        ...{ id: Number(id), url, author: user?.login ?? '', body: body ?? '' },
      }))
    },
    createComment: async (issue_number, body) => {
      await call(({ octokit }) => octokit.rest.issues.createComment({ owner, repo, issue_number, body }))
    },
    editComment: async (comment_id, body) => {
      await call(({ octokit }) => octokit.rest.issues.updateComment({ owner, repo, comment_id, body }))
    },
    deleteComment: async (comment_id) => {
      await call(({ octokit }) => octokit.rest.issues.deleteComment({ owner, repo, comment_id }))
    },
    listLineComments: async (pull_number) => {
      const asked = { owner, repo, pull_number, per_page: PER_PAGE }
      const found = await call(({ octokit }) => octokit.paginate(octokit.rest.pulls.listReviewComments, asked))
      return found.map(({ user, body }) => ({ author: user?.login ?? '', body }))
    },
    listApprovals: async (pull_number) => {
      const asked = { owner, repo, pull_number, per_page: PER_PAGE }
      const found = await call(({ octokit }) => octokit.paginate(octokit.rest.pulls.listReviews, asked))
      return found
        .filter(({ state }) => state === 'APPROVED')
        .map(({ id, user, body, commit_id }) => ({
          id: Number(id),
          author: user?.login ?? '',
          body,
          commit: commit_id ?? '',
        }))
    },
    postReview: async (pull_number, { commit: commit_id, body, approves, comments }) => {
      const lines = comments.map(({ start_line, ...comment }) => ({
        ...comment,
        ...(start_line === undefined ? {} : { start_line, start_side: comment.side }),
      }))
      const review = { commit_id, body, event: approves ? 'APPROVE' : 'COMMENT', comments: lines } as const
      await call(({ octokit }) => octokit.rest.pulls.createReview({ owner, repo, pull_number, ...review }))
    },
    dismissApproval: async (pull_number, review_id, message) => {
      await call(({ octokit }) =>
        octokit.rest.pulls.dismissReview({ owner, repo, pull_number, review_id, message, event: 'DISMISS' }),
      )
    },
    listVerdictKeys: async (ref, context) => {
      const asked = { owner, repo, ref, per_page: PER_PAGE }
      const { login, kind } = await identity()
      if (kind === 'app') {
        const runs = { ...asked, check_name: context, filter: 'all' } as const
        const found = await call(({ octokit }) => octokit.paginate(octokit.rest.checks.listForRef, runs))
        return found.map(({ external_id }) => external_id ?? '')
      }
      const found = await call(({ octokit }) => octokit.paginate(octokit.rest.repos.listCommitStatusesForRef, asked))
      const ours = found.filter((each) => each.context === context && each.creator?.login === login)
      return ours.map(({ description }) => /\((\S+)\)$/.exec(description ?? '')?.[1] ?? '')
    },
    setVerdict: async (commit, { context, key, verdict, title, summary }) => {
      if ((await identity()).kind === 'app') {
        const run = { name: context, head_sha: commit, status: 'completed', external_id: key } as const
        const output = { title, summary }
        await call(({ octokit }) =>
          octokit.rest.checks.create({ owner, repo, ...run, conclusion: CONCLUSIONS[verdict], output }),
        )
        return
      }
      const description = `${truncateText(title, MAX_DESCRIPTION - key.length - 3)} (${key})`
      await call(({ octokit }) =>
        octokit.rest.repos.createCommitStatus({
          ...{ owner, repo, sha: commit, state: STATES[verdict], context, description },
        }),
      )
    },
  }
}
