// Watches pull requests, and branches where there is only git, until they are merged. A watch is durable and needs no process while it waits.
import type { WatchView } from '../../client/watch-workflow.ts'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import {
  type ForgeAddress,
  formatAddress,
  parsePull,
  parsePullNumber,
  parseRemote,
  toWebOrigin,
} from '../../domain/forge/forge-address.ts'
import { formatWatchId } from '../../domain/forge/watch-id.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { WatchInput, WatchMemo, WatchSummary } from '../../domain/workflow-types/index.ts'
import { readRemoteName, readRemoteUrl } from '../../platform/git/repository/branches.ts'
import { locateRepository } from '../../preflight/read-repository.ts'
import type { AppContext } from '../context.ts'
import { findRepository } from '../repositories/repositories.ts'
import { findSession } from '../session/find-sessions.ts'
import { loadOwnSettings } from '../settings/load-settings.ts'
import { followWorkflow } from './follow-forge-work.ts'
import { findRemoteUrl } from './locate-remote.ts'

export interface PullWatchOptions {
  /** Where the issues of a pull request are. */
  readonly repo: string
  readonly base?: string | undefined
}

export interface WatchStatus extends Pick<WatchMemo, 'name'> {
  readonly workflow_id: string
  /** Absent while it runs. */
  readonly summary?: WatchSummary | undefined
  /** Absent before its first look. */
  readonly state?: WatchMemo['state'] | undefined
  readonly branch?: string | undefined
  readonly since?: string | undefined
  readonly trouble?: string | undefined
}

/** Returns after its first look, or with `waits` at its end. One that runs already looks at once. */
export async function startPullWatch(
  app: AppContext,
  typed: string,
  { waits, ...options }: PullWatchOptions & { readonly waits: boolean },
): Promise<WatchStatus> {
  const settings = await loadOwnSettings(app)
  const input = await toWatchInput(app, typed, settings, options)
  const { startWatch } = await import('../../client/watch-workflow.ts')
  const { client, instance } = await app.instance.connect(settings)
  const workflowId = await startWatch(client, instance.taskQueue, { ...input, homeQueue: instance.hostQueue })
  const view = await followWatch(app, workflowId, settings, ({ kind, memo }) => {
    return kind === 'ended' || (!waits && memo !== undefined)
  })
  if (view.kind === 'running') return toStatus(workflowId, view.memo)
  return { name: input.name, workflow_id: workflowId, summary: view.summary }
}

async function followWatch(
  app: AppContext,
  workflowId: string,
  settings: Settings,
  isThere: (view: WatchView) => boolean,
): Promise<WatchView> {
  const { readWatch } = await import('../../client/watch-workflow.ts')
  return await followWorkflow(app, workflowId, settings, async (client) => {
    const view = await readWatch(client, workflowId)
    return isThere(view) ? view : undefined
  })
}

export async function listWatches(app: AppContext): Promise<readonly WatchStatus[]> {
  const { listRunningWatches } = await import('../../client/watch-workflow.ts')
  const { client, instance } = await app.instance.connect(await loadOwnSettings(app))
  const views = await listRunningWatches(client, instance.taskQueue)
  return views.flatMap((view) => (view.kind === 'running' ? toStatus(view.workflowId, view.memo) : []))
}

export async function stopWatch(app: AppContext, typed: string, options: PullWatchOptions): Promise<string> {
  const settings = await loadOwnSettings(app)
  const input = await toWatchInput(app, typed, settings, options)
  const { cancelWatch } = await import('../../client/watch-workflow.ts')
  const { client } = await app.instance.connect(settings)
  const workflowId = formatWatchId(input)
  if (await cancelWatch(client, workflowId)) {
    await followWatch(app, workflowId, settings, ({ kind }) => kind === 'ended')
    return input.name
  }
  throw new FixwrightError(
    'nothing_open',
    `nothing watches ${input.name}: "fixwright watch-pr --list" shows what is watched`,
  )
}

function toStatus(workflow_id: string, memo: WatchMemo | undefined): WatchStatus {
  if (memo === undefined) return { name: workflow_id, workflow_id }
  const { name, state, branch, since, trouble } = memo
  return { name, workflow_id, state, branch, since: new Date(since).toISOString(), ...(trouble ? { trouble } : {}) }
}

const PULL_FORMS =
  'A pull request is given as owner/name#12, as the address of its page, or as a number, such as 12, in the folder of its repository'

type WatchOrder = Omit<WatchInput, 'homeQueue'>

async function toWatchInput(
  app: AppContext,
  typed: string,
  { github }: Settings,
  { repo, base }: PullWatchOptions,
): Promise<WatchOrder> {
  const named = parsePull(typed)
  const number = named?.number ?? parsePullNumber(typed)
  if (number === undefined) return await toBranchWatch(app, typed, github, base)
  const { host } = github
  if (named?.host !== undefined && named.host !== host)
    throw new FixwrightError(
      'bad_input',
      `${typed} is on ${named.host}, and github.host is ${host}: set it to that host`,
    )
  const repository = await findRepository(app, repo)
  if (repository === undefined) {
    const way = 'give the folder or the name of one of "fixwright repo list" with --repo, or run it in that folder'
    throw new FixwrightError('repository_not_found', `no issue is known of the repository "${repo}": ${way}`)
  }
  const { owner, name } = named ?? (await findHostedRepository(repository.path, github.host, number))
  return {
    ...{ github, number, branch: '', repositoryId: repository.repository_id },
    name: `${owner}/${name}#${number}`,
    remote: `${toWebOrigin(host)}/${owner}/${name}.git`,
  }
}

/** The one that a number alone is a pull request of. */
async function findHostedRepository(root: string, host: string, number: number): Promise<ForgeAddress> {
  const remote = await findRemoteUrl(root, undefined)
  const address = parseRemote(remote)
  if (address?.host === host) return address
  const where = address === undefined ? remote : formatAddress(address)
  throw new FixwrightError(
    'remote_unusable',
    `#${number} could be of ${where}, which is not on ${host} (github.host): give the pull request as owner/name#${number}`,
  )
}

/** Of a session: its branch, by git alone, at the remote or, without one, in the repository itself. */
async function toBranchWatch(
  app: AppContext,
  typed: string,
  github: Settings['github'],
  asked: string | undefined,
): Promise<WatchOrder> {
  const {
    branch_name: branch,
    repository,
    repository_id: repositoryId,
  } = await findSession(app, typed).catch(alsoNamePulls)
  if (branch === undefined) {
    throw new FixwrightError('nothing_to_publish', `session ${typed} has made no branch: there is nothing to watch`)
  }
  const name = await readRemoteName(repository)
  const remote = (name === undefined ? undefined : await readRemoteUrl(repository, name)) ?? repository
  if (parseRemote(remote)?.host === github.host) {
    const way = 'give its pull request as owner/name#12, or open it with "fixwright pr"'
    throw new FixwrightError('bad_input', `${remote} has pull requests: ${way}`)
  }
  const base = asked ?? (remote === repository ? await readMainBranch(repository) : undefined)
  return { ...{ github, branch, repositoryId, remote, base }, name: `${branch} → ${base ?? 'HEAD'}` }
}

function alsoNamePulls(error: Error): never {
  if (!(error instanceof FixwrightError) || error.code !== 'session_not_found') throw error
  throw new FixwrightError(error.code, `${error.message}. ${PULL_FORMS}`)
}

async function readMainBranch(repository: string): Promise<string | undefined> {
  const located = await locateRepository({ repository })
  return located.kind === 'refused' ? undefined : located.repository.defaultBranch?.replace(/^origin\//, '')
}
