// The steps of answering a command in its thread: look what stands there, post or edit it, take a second one away. Texts are made anew from
// the record in each step, so that the history holds none.
import { createHash } from 'node:crypto'
import { composeCommandBody, composeReply } from '../../domain/forge/compose-reply.ts'
import { formatAddress } from '../../domain/forge/forge-address.ts'
import { formatPostMarker, hasPostMarker, type MarkerKey } from '../../domain/forge/marker.ts'
import { clampBody } from '../../domain/forge/posted-text.ts'
import { deriveOrderSessionId } from '../../domain/session/idempotency-key.ts'
import type {
  CommandAnswer,
  CommandReplyInput,
  CommandSession,
  ForgeOutcome,
  PullCommandInput,
  PullRequestInput,
  StandingReply,
} from '../../domain/workflow-types/index.ts'
import type { ForgeApi, ForgeComment } from '../../integrations/forge/forge.ts'
import type { ActivityContext } from '../context.ts'
import { openForgeApi, toForgeOutcome } from './forge-outcomes.ts'

const CUT = 'There is more: see `fixwright report`.'
const EMPTY_REPLY: StandingReply = { isCurrent: true, duplicates: [] }

interface WantedReply {
  readonly text: string
  readonly key: MarkerKey
  /** Says whether a comment has this text, however the forge keeps its line ends. */
  readonly textKey: MarkerKey
}

interface FoundReplies {
  readonly api: ForgeApi
  readonly wanted: WantedReply
  /** The oldest first. */
  readonly ours: readonly ForgeComment[]
}

export async function findCommandReply(
  context: ActivityContext,
  input: CommandReplyInput,
): Promise<ForgeOutcome<StandingReply>> {
  return await toForgeOutcome('read', async () => {
    const found = await findReplies(context, input)
    if (found === undefined) return EMPTY_REPLY
    const [first, ...more] = found.ours
    const isCurrent = first !== undefined && hasPostMarker(first.body, found.wanted.textKey, context.markerSecret)
    return { isCurrent, duplicates: more.map(({ id }) => id) }
  })
}

export async function postCommandReply(
  context: ActivityContext,
  input: CommandReplyInput,
): Promise<ForgeOutcome<StandingReply>> {
  return await toForgeOutcome('write', async () => {
    const found = await findReplies(context, input)
    if (found === undefined) return EMPTY_REPLY
    const { api, wanted, ours } = found
    const [first] = ours
    const markers = [wanted.key, wanted.textKey].map((key) => formatPostMarker(key, context.markerSecret))
    const body = `${wanted.text}\n\n${markers.join('\n')}\n`
    if (first === undefined) await api.createComment(input.number, body)
    else await api.editComment(first.id, body)
    return { isCurrent: true, duplicates: [] }
  })
}

export async function withdrawCommandReply(
  context: ActivityContext,
  input: PullCommandInput & { readonly id: number },
): Promise<ForgeOutcome<number>> {
  return await toForgeOutcome('read', async () => {
    await (await openForgeApi(context, input)).deleteComment(input.id)
    return input.id
  })
}

export async function acknowledgeCommand(
  context: ActivityContext,
  input: PullCommandInput,
): Promise<ForgeOutcome<number>> {
  return await toForgeOutcome('read', async () => {
    await (await openForgeApi(context, input)).acknowledge(input.commentId)
    return input.commentId
  })
}

export async function answerSession(
  { store, orders }: ActivityContext,
  input: PullCommandInput & { readonly by: string; readonly sessionId: string; readonly message: CommandAnswer },
): Promise<ForgeOutcome<{ readonly refusal?: string | undefined }>> {
  const { by, sessionId, message, name } = input
  const session = await store.sessions.get(sessionId)
  if (!orders || session === undefined) throw new Error(`this worker can't speak to session ${sessionId}`)
  const refusal = await orders.answer(session, message, { by: `github:${by}`, from: name })
  return { kind: 'done', value: refusal === undefined ? {} : { refusal } }
}

export async function describeCommandPull(
  context: ActivityContext,
  input: PullCommandInput & { readonly session: CommandSession; readonly branch: string },
): Promise<ForgeOutcome<Omit<PullRequestInput, 'homeQueue'> | undefined>> {
  const { remote, github, number, branch: base, session: which } = input
  const session = await context.store.sessions.get(toSessionId(which))
  const commit = session?.result?.commits.at(-1)?.sha
  if (session?.branch_name === undefined || commit === undefined) return { kind: 'done', value: undefined }
  const body = await context.masking.maskText(composeCommandBody(session, number))
  const { ref: bodyRef } = await context.artifacts.put(body)
  const { session_id: sessionId, branch_name: branch, result } = session
  await context.store.artifacts.link({ session_id: sessionId, kind: 'post', name: 'pull-request', ref: bodyRef })
  const fixed = result?.issues_fixed === 1 ? '1 finding' : `${result?.issues_fixed} findings`
  const title = `Fix ${fixed} of the votes on ${input.name}`
  return { kind: 'done', value: { remote, github, sessionId, branch, commit, title, bodyRef, base, draft: false } }
}

/** Whether a comment of ours answers this command. */
export async function isAnswered(context: ActivityContext, api: ForgeApi, input: PullCommandInput): Promise<boolean> {
  return (await listOurs(context, api, input.number, toReplyKey(api, input))).length > 0
}

/** Undefined where there is nothing to say. */
async function findReplies(context: ActivityContext, input: CommandReplyInput): Promise<FoundReplies | undefined> {
  const api = await openForgeApi(context, input)
  const wanted = await composeWanted(context, api, input)
  return wanted && { api, wanted, ours: await listOurs(context, api, input.number, wanted.key) }
}

async function composeWanted(
  { store, masking }: ActivityContext,
  api: ForgeApi,
  input: CommandReplyInput,
): Promise<WantedReply | undefined> {
  const sessionId = input.session && toSessionId(input.session)
  const session = sessionId === undefined ? undefined : await store.sessions.get(sessionId)
  const composed = composeReply(input.reply, { sessionId, session })
  if (composed === undefined) return undefined
  const text = clampBody(await masking.maskText(composed), CUT)
  const part = input.reply.kind === 'questions' ? `.${toDigest(session?.decision?.request ?? '')}` : ''
  const key = toReplyKey(api, input, part)
  return { text, key, textKey: { ...key, kind: 'command-text', id: toDigest(text) } }
}

async function listOurs(
  { markerSecret }: ActivityContext,
  api: ForgeApi,
  number: number,
  key: MarkerKey,
): Promise<readonly ForgeComment[]> {
  const { login } = await api.identity()
  const comments = await api.listComments(number)
  return comments.filter(({ author, body }) => author === login && hasPostMarker(body, key, markerSecret))
}

function toReplyKey({ address }: ForgeApi, { number, commentId }: PullCommandInput, part = ''): MarkerKey {
  return { kind: 'command', id: `${commentId}${part}`, place: `${formatAddress(address)}#${number}` }
}

function toSessionId(session: CommandSession): string {
  return 'sessionId' in session ? session.sessionId : deriveOrderSessionId(session)
}

function toDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20)
}
