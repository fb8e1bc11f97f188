// What a delivery of GitHub's webhook names: a pull request, and perhaps a comment that looks like a command. Nothing else of it counts.
import { z } from 'zod'
import { isCommand } from './parse-command.ts'

const Name = z.string().regex(/^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/)
const Id = z.number().int().positive()
const Repository = z.object({ full_name: Name })

const CommentPayload = z.object({
  action: z.string(),
  repository: Repository,
  issue: z.object({ number: Id, pull_request: z.looseObject({}).optional() }),
  comment: z.object({ id: Id, body: z.string() }),
  sender: z
    .object({ login: z.string().regex(/^[\w.-]{1,100}(?:\[bot\])?$/) })
    .optional()
    .catch(undefined),
})
const PullPayload = z.object({ action: z.string(), repository: Repository, number: Id })

export interface NamedWork {
  readonly pull: { readonly name: string; readonly number: number }
  readonly commentId?: number | undefined
  /** The login of who wrote the comment, as the delivery says. */
  readonly sender?: string | undefined
}

/** Why there is nothing to do, as a text. */
export function parseDelivery({
  event,
  payload,
}: {
  readonly event: string
  readonly payload: object
}): NamedWork | string {
  if (event === 'issue_comment') {
    const { data } = CommentPayload.safeParse(payload)
    if (data === undefined) return 'it is no comment as GitHub describes one'
    const { action, repository, issue, comment, sender } = data
    if (action !== 'created') return 'what becomes of a comment later changes nothing'
    if (issue.pull_request === undefined) return 'the comment is not on a pull request'
    const pull = { name: repository.full_name, number: issue.number }
    return isCommand(comment.body) ? { pull, commentId: comment.id, sender: sender?.login } : { pull }
  }
  if (event !== 'pull_request') return `nothing follows from ${event}`
  const { data } = PullPayload.safeParse(payload)
  if (data === undefined) return 'it is no pull request as GitHub describes one'
  return { pull: { name: data.repository.full_name, number: data.number } }
}
