// GitHub, as the port has it: github.com, data residency and Enterprise Server.
import { type ForgeAddress, formatAddress, toWebOrigin } from '../../../domain/forge/forge-address.ts'
import type { ForgeAccess } from '../credential.ts'
import { type Forge, type ForgeApi, ForgeError, type ForgeIdentity, type ForgeIssue } from '../forge.ts'
import { callGitHub, connectGitHub, forgetInstallation, type GitHubClient } from './github-client.ts'
import { createCommentCalls } from './github-comments.ts'
import { createPullCalls } from './github-pulls.ts'
import { readPullState } from './read-pull.ts'
import { type PullData, toPull } from './to-pull.ts'

/** An installation's token; GitHub Actions has one of these without an App of ours. */
const ACTIONS_BOT = 'github-actions[bot]'
const PER_PAGE = 100

export function createGitHubForge(address: ForgeAddress, access: ForgeAccess): Forge {
  let connecting: Promise<GitHubClient> | undefined
  const connect = (): Promise<GitHubClient> => {
    connecting ??= connectGitHub(address, access)
    return connecting
  }
  return {
    name: formatAddress(address),
    gitTarget: async () => ({
      url: `${toWebOrigin(address.host)}/${address.owner}/${address.name}.git`,
      credential: { username: 'x-access-token', password: (await connect()).token },
    }),
    api: createApi(address, connect),
  }
}

function createApi(address: ForgeAddress, connect: () => Promise<GitHubClient>): ForgeApi {
  const { owner, name: repo } = address
  const call = async <T>(request: (client: GitHubClient) => Promise<T>): Promise<T> => {
    const client = await connect()
    try {
      return await callGitHub(() => request(client))
    } catch (error) {
      if (error instanceof ForgeError && error.kind === 'unauthorised') forgetInstallation(client)
      throw error
    }
  }
  const identity = async (): Promise<ForgeIdentity> => {
    const { botLogin, from: source } = await connect()
    if (botLogin !== undefined) return { login: botLogin, kind: 'app', source }
    try {
      const { data } = await call(({ octokit }) => octokit.rest.users.getAuthenticated())
      return { login: data.login, kind: 'user', source }
    } catch (error) {
      if (!(error instanceof ForgeError) || error.status !== 403 || error.kind !== 'refused') throw error
      return { login: ACTIONS_BOT, kind: 'app', source }
    }
  }
  return {
    address,
    identity,
    ...createPullCalls(address, call, identity),
    ...createCommentCalls(address, call),
    repository: async () => {
      const { data } = await call(({ octokit }) => octokit.rest.repos.get({ owner, repo }))
      return { defaultBranch: data.default_branch, canPush: data.permissions?.push ?? false }
    },
    rate: async () => {
      const { data } = await call(({ octokit }) => octokit.rest.rateLimit.get())
      const { limit, remaining, reset } = data.rate
      return { limit, remaining, resetAt: reset * 1000 }
    },
    listPulls: async (branch) => {
      const asked = { owner, repo, state: 'all', head: `${owner}:${branch}`, per_page: PER_PAGE } as const
      const found = await call(({ octokit }) => octokit.paginate(octokit.rest.pulls.list, asked))
      return found.map((each) => toPull(each, each.merged_at !== null))
    },
    readPull: (number, tag) => readPullState(address, call, { number, tag }),
    openPull: async ({ branch, ...pull }) => {
      const { data } = await call(({ octokit }) => octokit.rest.pulls.create({ owner, repo, head: branch, ...pull }))
      return toPull(data, data.merged)
    },
    listIssues: async ({ author: creator, since }) => {
      const order = { state: 'all', sort: 'created', direction: 'asc' } as const
      const asked = { owner, repo, creator, since, per_page: PER_PAGE, ...order }
      const found = await call(({ octokit }) => octokit.paginate(octokit.rest.issues.listForRepo, asked))
      return found.filter(({ pull_request }) => !pull_request).map(toIssue)
    },
    describeIssues: async (labels) => {
      const asked = { owner, repo, state: 'all', labels: labels.join(), per_page: PER_PAGE } as const
      return await call(({ octokit }) => octokit.paginate(octokit.rest.issues.listForRepo, asked))
    },
    describeAlerts: async () => {
      const asked = { owner, repo, per_page: PER_PAGE }
      return await call(({ octokit }) => octokit.paginate(octokit.rest.codeScanning.listAlertsForRepo, asked))
    },
    openIssue: async ({ title, body, labels }) => {
      const wanted = { owner, repo, title, body, labels: [...labels] }
      return toIssue((await call(({ octokit }) => octokit.rest.issues.create(wanted))).data)
    },
    closeAsDuplicate: async (issue_number) => {
      const change = { state: 'closed', state_reason: 'duplicate' } as const
      await call(({ octokit }) => octokit.rest.issues.update({ owner, repo, issue_number, ...change }))
    },
  }
}

interface IssueData extends Pick<PullData, 'number' | 'html_url' | 'state' | 'user'> {
  readonly body?: string | null
  readonly labels: readonly (string | { readonly name?: string })[]
}

function toIssue({ number, html_url: url, state, user, body, labels }: IssueData): ForgeIssue {
  return {
    ...{ number, url, body: body ?? '', author: user?.login ?? '' },
    state: state === 'open' ? 'open' : 'closed',
    labels: labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))),
  }
}
