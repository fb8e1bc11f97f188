// Octokit without retries of its own: it would repeat a write whose answer was lost. One call is one request, but for lists of several
// pages. Each failure becomes one of the kinds that the port knows; no type of octokit leaves this folder.
import { createHash } from 'node:crypto'
import { createAppAuth } from '@octokit/auth-app'
import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { restEndpointMethods } from '@octokit/plugin-rest-endpoint-methods'
import { FixwrightError } from '../../../domain/errors/fixwright-error.ts'
import { type ForgeAddress, toApiUrl } from '../../../domain/forge/forge-address.ts'
import { type ForgeAccess, findCredential, listTokenVariables } from '../credential.ts'
import { ForgeError } from '../forge.ts'

const GitHubOctokit = Octokit.plugin(restEndpointMethods, paginateRest)
export type GitHubOctokit = InstanceType<typeof GitHubOctokit>

const REQUEST_MS = 30_000
const USER_AGENT = 'fixwright'
const DEFAULT_LIMIT_MS = 60_000

export interface GitHubClient {
  readonly octokit: GitHubOctokit
  /** For git over HTTP. */
  readonly token: string
  /** Of an App: who it posts as. */
  readonly botLogin: string | undefined
  readonly from: string
}

/** A token of an installation is good for an hour: work that looks each minute asks for one an hour. It stays in this process. */
const installations = new Map<string, { readonly client: GitHubClient; readonly until: number }>()
const RENEW_BEFORE_MS = 5 * 60_000

/** Asks for a new token the next time. */
export function forgetInstallation(client: GitHubClient): void {
  for (const [key, known] of installations) if (known.client === client) installations.delete(key)
}

export async function connectGitHub(address: ForgeAddress, { settings, env }: ForgeAccess): Promise<GitHubClient> {
  const credential = await findCredential(settings, env)
  if (credential === undefined) {
    const ways = `set ${listTokenVariables(settings.host)[0]} where the instance starts, github.token_file, or github.app_id with github.app_key_file`
    throw new FixwrightError('forge_not_signed_in', `there is no credential for ${settings.host}: ${ways}`)
  }
  const baseUrl = toApiUrl(address.host)
  if (credential.kind === 'token') {
    const octokit = createOctokit(baseUrl, credential.token)
    return { octokit, token: credential.token, botLogin: undefined, from: credential.from }
  }
  const { appId, privateKey } = credential
  // Another key, App or repository has another token.
  const key = createHash('sha256')
    .update(JSON.stringify([baseUrl, address, appId, privateKey]))
    .digest('hex')
  const known = installations.get(key)
  if (known !== undefined && known.until > Date.now()) return known.client
  const auth = createAppAuth({
    appId,
    privateKey,
    request: createOctokit(baseUrl).request,
  })
  // This only signs: no answer of GitHub can fail it.
  const signed = await auth({ type: 'app' }).catch((error: Error) => {
    const what = `github.app_key_file holds no private key that can sign for App ${credential.appId} (${error.message})`
    throw new FixwrightError('forge_not_signed_in', `${what}: download a new one from the App's settings`)
  })
  const asApp = createOctokit(baseUrl, signed.token)
  const { owner, name: repo } = address
  const app = await callGitHub(() => asApp.rest.apps.getAuthenticated())
  const installation = await callGitHub(() => asApp.rest.apps.getRepoInstallation({ owner, repo }))
  const made = await callGitHub(() => auth({ type: 'installation', installationId: installation.data.id }))
  const botLogin = `${app.data?.slug ?? ''}[bot]`
  const { token } = made
  const client = { octokit: createOctokit(baseUrl, token), token, botLogin, from: credential.from }
  installations.set(key, { client, until: Date.parse(made.expiresAt) - RENEW_BEFORE_MS })
  return client
}

function createOctokit(baseUrl: string, token?: string): GitHubOctokit {
  const quiet = () => undefined
  return new GitHubOctokit({
    baseUrl,
    userAgent: USER_AGENT,
    ...(token === undefined ? {} : { auth: token }),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    request: {
      retries: 0,
      // A redirect could lead to another host.
      fetch: (url: string, options: RequestInit) =>
        fetch(url, { ...options, redirect: 'error', signal: AbortSignal.timeout(REQUEST_MS) }),
    },
  })
}

/** Runs one request, and says in the port's words how it failed. */
export async function callGitHub<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof ForgeError || error instanceof FixwrightError) throw error
    throw toForgeError(error)
  }
}

interface RequestFailure extends Error {
  readonly status?: number
  readonly response?: {
    readonly headers: Readonly<Record<string, string | number | undefined>>
    readonly data?: unknown
  }
}

function toForgeError(error: unknown): ForgeError {
  const { status, response, message } = error as RequestFailure
  // Octokit gives a request without an answer the status 500.
  if (status === undefined || response === undefined)
    return new ForgeError('lost', `no answer: ${describeCause(error)}`)
  const { headers } = response
  const facts = { status, needs: headers['x-accepted-github-permissions']?.toString() }
  const text = `${status} ${message.split(' - http')[0]}`
  if (status === 429 || (status === 403 && isLimit(headers, message))) {
    return new ForgeError('limited', text, { ...facts, until: findReset(headers) })
  }
  if (status >= 500) return new ForgeError('lost', text, facts)
  if (status === 401) return new ForgeError('unauthorised', text, facts)
  if (status === 404) return new ForgeError('not_found', text, facts)
  return new ForgeError('refused', text, facts)
}

function isLimit(headers: NonNullable<RequestFailure['response']>['headers'], message: string): boolean {
  return headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || /rate limit/i.test(message)
}

function findReset(headers: NonNullable<RequestFailure['response']>['headers']): number {
  const after = Number(headers['retry-after'])
  if (after > 0) return Date.now() + after * 1000
  const reset = Number(headers['x-ratelimit-reset'])
  if (headers['x-ratelimit-remaining'] === '0' && reset > 0) return reset * 1000
  return Date.now() + DEFAULT_LIMIT_MS
}

function describeCause(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
