// One look of a watch: at the pull request by its API, or at the base by git where there is only that.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { formatWatchId } from '../../domain/forge/watch-id.ts'
import type { ForgeOutcome, PullLook, SeenPull, WatchInput } from '../../domain/workflow-types/index.ts'
import { openForge } from '../../integrations/forge/open-forge.ts'
import { readRemoteCredential } from '../../platform/git/repository/branches.ts'
import { readRemoteHead } from '../../platform/git/repository/read-remote.ts'
import type { RemoteAccess } from '../../platform/git/repository/remote-access.ts'
import type { ActivityContext } from '../context.ts'
import { toForgeOutcome } from './forge-outcomes.ts'

export async function lookAtPull(
  context: ActivityContext,
  input: WatchInput & { readonly tag?: string | undefined },
): Promise<ForgeOutcome<PullLook>> {
  const { number, tag } = input
  return await toForgeOutcome('write', async () => {
    const pull = number === undefined ? await readBase(context, input) : await readPull(context, input, number)
    // By the API, only GitHub itself says that nothing is new.
    const isSameBase = number === undefined && pull?.tag === tag
    if (pull === undefined || isSameBase) return { kind: 'unchanged' }
    const repository = (await context.store.repositories.get(input.repositoryId))?.path ?? ''
    return { kind: 'seen', pull, labels: { attributes: context.searchAttributes, repository } }
  })
}

async function readPull(
  context: ActivityContext,
  { remote, github, tag }: WatchInput & { readonly tag?: string | undefined },
  number: number,
): Promise<SeenPull | undefined> {
  const { api, name } = await openForge(remote, { settings: github, env: context.environment })
  if (api === undefined) throw new FixwrightError('forge_refused', `${name} has git and nothing else`)
  return await api.readPull(number, tag)
}

async function readBase(context: ActivityContext, input: WatchInput): Promise<SeenPull> {
  const { base, branch } = input
  const { access } = await openWatchedRemote(context, input, 'look')
  const head = await readRemoteHead(access, base)
  if (head === undefined || head.branch === branch) {
    const what = head === undefined ? `has no ${base ?? 'HEAD'}` : `has ${branch} as its main branch`
    throw new FixwrightError('remote_unusable', `${input.remote} ${what}: say what it is merged into with --base`)
  }
  return { tag: head.commit, state: 'open', branch, base: head.branch }
}

export interface WatchedRemote {
  /** The person's repository. */
  readonly root: string
  readonly access: RemoteAccess
}

/** The folder is the watch's own, and of each kind of work: the two may overlap when an attempt was given up. */
export async function openWatchedRemote(
  { store, environment, sessionsFolder }: ActivityContext,
  input: WatchInput,
  kind: 'look' | 'record',
): Promise<WatchedRemote> {
  const repository = await store.repositories.get(input.repositoryId)
  if (repository === undefined) {
    throw new FixwrightError('repository_not_found', `no repository is registered as ${input.repositoryId}`)
  }
  const { path: root } = repository
  const { url, credential } = await (
    await openForge(input.remote, { settings: input.github, env: environment })
  ).gitTarget()
  const name = createHash('sha256').update(formatWatchId(input)).digest('hex').slice(0, 16)
  const folder = join(sessionsFolder, '.landing', `${kind}-${name}`)
  return { root, access: { folder, url, credential: credential ?? (await readRemoteCredential(root, url)) } }
}
