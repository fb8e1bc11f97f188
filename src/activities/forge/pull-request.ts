// The steps to a pull request: push the branch, look for the pull request, open it.
import { join } from 'node:path'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { formatAddress } from '../../domain/forge/forge-address.ts'
import { formatPostMarker, hasPostMarker, type MarkerKey } from '../../domain/forge/marker.ts'
import { clampBody, toPostedTitle } from '../../domain/forge/posted-text.ts'
import type { ForgeOutcome, PostedPull, PullRequestInput, PushedBranch } from '../../domain/workflow-types/index.ts'
import { type ForgeApi, ForgeError, type Pull } from '../../integrations/forge/forge.ts'
import { pushToRemote } from '../../platform/git/repository/push-to-remote.ts'
import { type ActivityContext, loadSession } from '../context.ts'
import { openForgeApi, openSessionForge, toForgeOutcome } from './forge-outcomes.ts'

export async function pushBranch(
  context: ActivityContext,
  input: PullRequestInput,
): Promise<ForgeOutcome<PushedBranch>> {
  const { branch, commit, sessionId } = input
  return await toForgeOutcome('read', async () => {
    const { record } = await loadSession(context, sessionId)
    const forge = await openSessionForge(context, input)
    const target = await forge.gitTarget()
    const folder = join(context.sessionsFolder, '.push', sessionId)
    const pushed = await pushToRemote({ root: record.repository, folder, ...target, branch, commit })
    if (pushed.kind === 'diverged') {
      const found = `${branch} on ${forge.name} is at ${pushed.head.slice(0, 12)}, with commits that the branch here lacks`
      throw new FixwrightError('remote_unusable', `${found}: bring them together, or push under another name`)
    }
    if (pushed.kind === 'refused')
      throw new FixwrightError('forge_refused', `${forge.name} takes no push: ${pushed.why}`)
    const { repository_id: repositoryId } = record
    return { branch, commit, hasPulls: forge.api !== undefined, forge: forge.name, repositoryId }
  })
}

export async function findPulls(
  context: ActivityContext,
  input: PullRequestInput,
): Promise<ForgeOutcome<readonly PostedPull[]>> {
  return await toForgeOutcome('read', async () => {
    const api = await openForgeApi(context, input)
    const { login } = await api.identity()
    const found = (await api.listPulls(input.branch)).map((pull) => toPosted(context, input, api, pull, login))
    // A branch may have had other pull requests before this session; an open one takes its commits in any case.
    const counted = found.filter(({ state, isOurs }) => state === 'open' || isOurs)
    return counted.sort((a, b) => rank(a) - rank(b) || a.number - b.number)
  })
}

function rank({ state, isOurs }: PostedPull): number {
  return (state === 'open' ? 0 : 2) + (isOurs ? 0 : 1)
}

export async function openPull(context: ActivityContext, input: PullRequestInput): Promise<ForgeOutcome<PostedPull>> {
  return await toForgeOutcome('write', async () => {
    const api = await openForgeApi(context, input)
    const base = input.base ?? (await api.repository()).defaultBranch
    const { login } = await api.identity()
    const report = await context.masking.maskText(await context.artifacts.getText(input.bodyRef))
    const body = clampBody(report, 'The report goes on: see `fixwright report`.')
    const marker = formatPostMarker(toKey(input, api), context.markerSecret)
    const { branch, draft } = input
    const pull = { title: toPostedTitle(input.title), body: `${body}\n\n${marker}\n`, branch, base, draft }
    try {
      return toPosted(context, input, api, await api.openPull(pull), login)
    } catch (error) {
      // Right after a push, the forge may not know the branch yet.
      const isEarly = error instanceof ForgeError && error.status === 422 && /\bhead\b.*invalid/i.test(error.message)
      throw isEarly ? new ForgeError('lost', error.message) : error
    }
  })
}

function toKey({ sessionId }: PullRequestInput, { address }: ForgeApi): MarkerKey {
  return { kind: 'pull', id: sessionId, place: formatAddress(address) }
}

function toPosted(
  { markerSecret }: ActivityContext,
  input: PullRequestInput,
  api: ForgeApi,
  { number, url, state, body, author }: Pull,
  login: string,
): PostedPull {
  return { number, url, state, isOurs: author === login && hasPostMarker(body, toKey(input, api), markerSecret) }
}
