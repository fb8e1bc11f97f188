// What GitHub says of comments as commands: the comment itself, what was written since, and what its author may do in the repository.
import type { ForgeAddress } from '../../../domain/forge/forge-address.ts'
import { type CommandComment, type ForgeApi, ForgeError } from '../forge.ts'
import type { GitHubClient } from './github-client.ts'

type CommentCalls = Pick<ForgeApi, 'getComment' | 'listCommentsSince' | 'mayWrite' | 'acknowledge'>

interface CommentData {
  readonly id: number | bigint
  readonly body?: string | null | undefined
  readonly user: { readonly login: string; readonly type?: string } | null
  readonly issue_url: string
  readonly html_url: string
  readonly created_at: string
  readonly updated_at: string
  /** The App whose token the person used. */
  readonly performed_via_github_app?: object | null | undefined
}

const PER_PAGE = 100

export function createCommentCalls(
  { owner, name: repo }: ForgeAddress,
  call: <T>(request: (client: GitHubClient) => Promise<T>) => Promise<T>,
): CommentCalls {
  return {
    getComment: async (comment_id) => {
      try {
        return toComment(
          (await call(({ octokit }) => octokit.rest.issues.getComment({ owner, repo, comment_id }))).data,
        )
      } catch (error) {
        return undefinedIfMissing(error)
      }
    },
    listCommentsSince: async (issue_number, since) => {
      const asked = { owner, repo, issue_number, since, per_page: PER_PAGE }
      return (await call(({ octokit }) => octokit.paginate(octokit.rest.issues.listComments, asked))).map(toComment)
    },
    mayWrite: async (username) => {
      try {
        const asked = { owner, repo, username }
        const { data } = await call(({ octokit }) => octokit.rest.repos.getCollaboratorPermissionLevel(asked))
        return data.permission === 'admin' || data.permission === 'write'
      } catch (error) {
        return undefinedIfMissing(error) ?? false
      }
    },
    acknowledge: async (comment_id) => {
      // GitHub has one of a kind of each person, and answers a second request with the first.
      const reaction = { comment_id, content: '+1' } as const
      await call(({ octokit }) => octokit.rest.reactions.createForIssueComment({ owner, repo, ...reaction }))
    },
  }
}

function toComment(data: CommentData): CommandComment {
  const { id, body, user, issue_url, html_url, created_at, updated_at, performed_via_github_app } = data
  return {
    ...{ id: Number(id), url: html_url, author: user?.login ?? '', body: body ?? '', createdAt: created_at },
    number: Number(/\/(\d+)$/.exec(issue_url)?.[1]),
    isByProgram: user === null || user.type !== 'User' || performed_via_github_app != null,
    isEdited: updated_at !== created_at,
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof ForgeError && error.kind === 'not_found') return undefined
  throw error
}
