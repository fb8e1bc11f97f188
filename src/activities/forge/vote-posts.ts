// The steps by which two votes get onto their pull request: look what stands there, post a part that is missing, withdraw what is not true any
// more. Texts are made anew from the record in each step, so that the history holds none.
import { createHash } from 'node:crypto'
import { composeVoteComment, type LineComment, listLineComments } from '../../domain/forge/compose-votes.ts'
import { formatAddress } from '../../domain/forge/forge-address.ts'
import { formatPostMarker, hasPostMarker, type MarkerKey } from '../../domain/forge/marker.ts'
import { clampBody } from '../../domain/forge/posted-text.ts'
import { describeVerdict } from '../../domain/vote/describe-verdict.ts'
import { VoteRecord } from '../../domain/vote/vote-record.ts'
import type { ForgeOutcome, PostVotesInput, VotePart, VotePosts } from '../../domain/workflow-types/index.ts'
import type { ForgeApi, Pull } from '../../integrations/forge/forge.ts'
import { loadArtifact } from '../artifacts.ts'
import type { ActivityContext } from '../context.ts'
import { openForgeApi, toForgeOutcome } from './forge-outcomes.ts'

/** The name under which a branch may require it. */
const VERDICT_CONTEXT = 'fixwright/votes'
const CUT = 'There is more in the report.'
const REVIEW_BODY = 'Two votes on this commit; the comment of Fixwright has both.'
const SUPERSEDED = 'This approval is about an earlier state of the pull request.'

interface WantedPosts {
  readonly text: string
  readonly lines: readonly LineComment[]
  /** Whether an approval is to be posted as one. */
  readonly approval: boolean
}

interface StandingPosts {
  readonly pull: Pull
  /** Our comments for all of it, the oldest first. */
  readonly comments: readonly { readonly id: number; readonly url: string; readonly body: string }[]
  readonly newLines: readonly LineComment[]
  readonly approvals: readonly { readonly id: number; readonly commit: string }[]
  /** Nobody may approve a pull request of their own. */
  readonly lacksApproval: boolean
  readonly hasVerdict: boolean
}

export async function findVotePosts(context: ActivityContext, input: PostVotesInput): Promise<ForgeOutcome<VotePosts>> {
  return await toForgeOutcome('read', async () => {
    const api = await openForgeApi(context, input)
    const wanted = await composePosts(context, input)
    const { pull, comments, newLines, approvals, lacksApproval, hasVerdict } = await readPosts(
      context,
      input,
      api,
      wanted,
    )
    const { head } = input.votes
    const isCurrent = hasPostMarker(comments[0]?.body ?? '', toTextKey(api, input, wanted.text), context.markerSecret)
    const missing: VotePart[] = [
      ...(newLines.length > 0 || lacksApproval ? (['review'] as const) : []),
      ...(isCurrent ? [] : (['comment'] as const)),
      ...(hasVerdict ? [] : (['verdict'] as const)),
    ]
    const isStale = ({ commit }: (typeof approvals)[number]): boolean =>
      commit !== pull.head || (commit === head && input.votes.verdict !== 'approved')
    return {
      ...{ head: pull.head, missing },
      ...(comments[0] === undefined ? {} : { url: comments[0].url }),
      duplicates: comments.slice(1).map(({ id }) => id),
      staleApprovals: approvals.filter(isStale).map(({ id }) => id),
      approvals: approvals.filter((each) => !isStale(each)).map(({ id }) => id),
    }
  })
}

export async function postVotePart(
  context: ActivityContext,
  input: PostVotesInput & { readonly part: VotePart },
): Promise<ForgeOutcome<VotePart>> {
  const { part, number, votes, sessionId } = input
  return await toForgeOutcome('write', async () => {
    const api = await openForgeApi(context, input)
    const wanted = await composePosts(context, input)
    if (part === 'verdict') {
      const { verdict, mean } = votes
      const title = describeVerdict(verdict, mean)
      const text = { context: VERDICT_CONTEXT, key: sessionId, verdict, title, summary: wanted.text }
      await api.setVerdict(votes.head, text)
      return part
    }
    const { comments, newLines, lacksApproval } = await readPosts(context, input, api, wanted)
    if (part === 'comment') {
      const keys = [toKey(api, input, 'votes', `${number}`), toTextKey(api, input, wanted.text)]
      const body = `${wanted.text}\n\n${sign(context, keys)}\n`
      if (comments[0] === undefined) await api.createComment(number, body)
      else await api.editComment(comments[0].id, body)
      return part
    }
    await api.postReview(number, {
      commit: votes.head,
      approves: lacksApproval,
      body: lacksApproval ? `${REVIEW_BODY}\n\n${sign(context, [toApprovalKey(api, input)])}\n` : REVIEW_BODY,
      comments: newLines.map(({ key, body, ...place }) => ({
        ...place,
        body: `${body}\n\n${sign(context, [toKey(api, input, 'finding', key)])}\n`,
      })),
    })
    return part
  })
}

export async function withdrawVotePost(
  context: ActivityContext,
  input: PostVotesInput & { readonly what: 'comment' | 'approval'; readonly id: number },
): Promise<ForgeOutcome<number>> {
  const { what, id, number } = input
  return await toForgeOutcome('read', async () => {
    const api = await openForgeApi(context, input)
    if (what === 'comment') await api.deleteComment(id)
    else await api.dismissApproval(number, id, SUPERSEDED)
    return id
  })
}

async function composePosts(context: ActivityContext, { votes, approve }: PostVotesInput): Promise<WantedPosts> {
  const { record_ref: ref } = votes
  const record = ref === undefined ? undefined : await loadArtifact(context, ref, VoteRecord)
  const text = await context.masking.maskText(composeVoteComment(votes, record))
  const lines = await Promise.all(
    listLineComments(record).map(async (line) => ({ ...line, body: await context.masking.maskText(line.body) })),
  )
  return { text: clampBody(text, CUT), lines, approval: approve && votes.verdict === 'approved' }
}

async function readPosts(
  { markerSecret }: ActivityContext,
  input: PostVotesInput,
  api: ForgeApi,
  wanted: WantedPosts,
): Promise<StandingPosts> {
  const { number, votes, sessionId } = input
  const { login } = await api.identity()
  const isOurs = ({ author, body }: { readonly author: string; readonly body: string }, key: MarkerKey): boolean =>
    author === login && hasPostMarker(body, key, markerSecret)
  const pull = await api.getPull(number)
  const comments = await api.listComments(number)
  const onLines = wanted.lines.length === 0 ? [] : await api.listLineComments(number)
  const approvals = (await api.listApprovals(number)).filter((each) => isOurs(each, toApprovalKey(api, input)))
  const verdicts = await api.listVerdictKeys(votes.head, VERDICT_CONTEXT)
  return {
    pull,
    comments: comments.filter((each) => isOurs(each, toKey(api, input, 'votes', `${number}`))),
    newLines: wanted.lines.filter(
      ({ key }) => !onLines.some((each) => isOurs(each, toKey(api, input, 'finding', key))),
    ),
    approvals,
    lacksApproval: wanted.approval && pull.author !== login && !approvals.some(({ commit }) => commit === votes.head),
    hasVerdict: verdicts.includes(sessionId),
  }
}

function sign({ markerSecret }: ActivityContext, keys: readonly MarkerKey[]): string {
  return keys.map((key) => formatPostMarker(key, markerSecret)).join('\n')
}

function toApprovalKey(api: ForgeApi, input: PostVotesInput): MarkerKey {
  return toKey(api, input, 'approval', `${input.number}`)
}

/** Says whether a comment has this text, however the forge keeps its line ends. */
function toTextKey(api: ForgeApi, input: PostVotesInput, text: string): MarkerKey {
  return toKey(api, input, 'votes-text', createHash('sha256').update(text).digest('hex').slice(0, 20))
}

function toKey({ address }: ForgeApi, { number }: PostVotesInput, kind: string, id: string): MarkerKey {
  return { kind, id, place: `${formatAddress(address)}#${number}` }
}
