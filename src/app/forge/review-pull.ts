// Finds the pull request that is to be voted on: its two commits, brought into the repository, and where its votes are posted.
import { join } from 'node:path'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { formatAddress, parseRemote } from '../../domain/forge/forge-address.ts'
import type { VotesTarget } from '../../domain/vote/vote-subject.ts'
import { openForge } from '../../integrations/forge/open-forge.ts'
import { listRemoteUrls } from '../../platform/git/repository/branches.ts'
import { fetchCommits } from '../../platform/git/repository/fetch-commits.ts'
import { locateRepository } from '../../preflight/read-repository.ts'
import type { AppContext } from '../context.ts'
import { loadOwnSettings } from '../settings/load-settings.ts'
import { explainForgeError } from './explain-forge-error.ts'
import { parsePullAddress } from './pull-address.ts'

export interface PullToReview {
  /** Whole hashes. */
  readonly base: string
  readonly head: string
  readonly target: VotesTarget
}

interface PullRequest {
  readonly repository: string
  readonly pull: string
  readonly approve: boolean
  readonly allowFork: boolean
}

export async function findPullToReview(
  app: AppContext,
  { repository, pull, approve, allowFork }: PullRequest,
): Promise<PullToReview> {
  const { github } = await loadOwnSettings(app)
  const located = await locateRepository({ repository })
  if (located.kind === 'refused') throw new FixwrightError('repository_unusable', located.problem)
  const { root, head: known } = located.repository
  const { address, number } = parsePullAddress(pull, github.host)
  const wanted = formatAddress(address).toLowerCase()
  const remote = (await listRemoteUrls(root)).find((url) => {
    const parsed = parseRemote(url)
    return parsed !== undefined && formatAddress(parsed).toLowerCase() === wanted
  })
  if (remote === undefined) {
    const advice = 'give --repo a clone of it, or add it with "git remote add"'
    throw new FixwrightError('remote_unusable', `${root} has no remote at ${formatAddress(address)}: ${advice}`)
  }
  const forge = await openForge(remote, { settings: github, env: app.env })
  const { api } = forge
  if (api === undefined) {
    throw new FixwrightError(
      'forge_not_configured',
      `${remote} is not on ${github.host}: github.host names the GitHub of this home`,
    )
  }
  const found = await explainForgeError(() => api.getPull(number))
  if (found.state !== 'open') throw new FixwrightError('nothing_to_review', `${found.url} is ${found.state}`)
  // Anybody can open one, and the agents that read it have the keys of the models.
  if (found.isFromFork && !allowFork) {
    const advice = 'give --allow-fork if you have read it, and want it to be read with the keys of the models'
    throw new FixwrightError('pull_from_fork', `${found.url} comes from a fork: ${advice}`)
  }
  const { head, baseCommit: base } = found
  const folder = join(app.home.path, 'fetch', `${process.pid}`)
  await fetchCommits({ root, folder, known, commits: [base, head], ...(await explainForgeError(forge.gitTarget)) })
  return { base, head, target: { remote, number, approve } }
}
