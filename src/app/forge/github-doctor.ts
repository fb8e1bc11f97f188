// Which credential counts for GitHub, who that is, and what it may do there. Nothing is written.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import { parseRemote } from '../../domain/forge/forge-address.ts'
import type { ForgeSettings } from '../../domain/settings/forge-settings.ts'
import { findWebhookSecret } from '../../integrations/forge/credential.ts'
import { type ForgeApi, ForgeError } from '../../integrations/forge/forge.ts'
import { openForge } from '../../integrations/forge/open-forge.ts'
import { readRemoteName, readRemoteUrl } from '../../platform/git/repository/branches.ts'
import { locateRepository } from '../../preflight/read-repository.ts'
import type { HomeContext } from '../context.ts'
import type { DoctorCheck } from '../doctor/doctor-repository.ts'
import { loadOwnSettings } from '../settings/load-settings.ts'

export async function runGitHubDoctor(context: HomeContext, folder: string): Promise<DoctorCheck[]> {
  const { github } = await loadOwnSettings(context)
  const remote = await findRemote(folder)
  if (typeof remote !== 'string') return [remote]
  const address = parseRemote(remote)
  if (address?.host !== github.host) {
    const found = `${remote} is not on ${github.host}: it gets pushes, and no pull requests`
    return [{ state: 'note', what: 'remote', found, advice: 'github.host names the GitHub that Fixwright speaks to' }]
  }
  const { api } = await openForge(remote, { settings: github, env: context.env })
  if (api === undefined) return []
  const checks: DoctorCheck[] = [
    { state: 'ok', what: 'remote', found: `${address.owner}/${address.name} on ${address.host}` },
  ]
  const checkComments = (own: ForgeApi) => checkCommands(own, github, context.env)
  for (const check of [checkIdentity, checkRights, checkRate, checkComments]) {
    const done = await check(api).catch(toProblem)
    checks.push(done)
    if (done.state === 'missing') break
  }
  return checks
}

async function findRemote(folder: string): Promise<string | DoctorCheck> {
  const located = await locateRepository({ repository: folder })
  if (located.kind === 'refused') return { state: 'missing', what: 'repository', found: located.problem }
  const { root } = located.repository
  const name = await readRemoteName(root)
  const url = name === undefined ? undefined : await readRemoteUrl(root, name)
  return url ?? { state: 'note', what: 'remote', found: `${root} has none`, advice: 'add one with "git remote add"' }
}

async function checkIdentity(api: ForgeApi): Promise<DoctorCheck> {
  const { login, kind, source } = await api.identity()
  return { state: 'ok', what: 'credential', found: `${source}: ${kind === 'app' ? 'the App' : 'the user'} ${login}` }
}

async function checkRights(api: ForgeApi): Promise<DoctorCheck> {
  const { canPush, defaultBranch } = await api.repository()
  const found = `${canPush ? 'may push' : 'may read, not push'}; the default branch is ${defaultBranch}`
  if (canPush) return { state: 'ok', what: 'repository', found }
  const advice = 'give the credential contents: write and pull_requests: write on this repository'
  return { state: 'missing', what: 'repository', found, advice }
}

async function checkRate(api: ForgeApi): Promise<DoctorCheck> {
  const { limit, remaining, resetAt } = await api.rate()
  const found = `${remaining} of ${limit} requests left until ${new Date(resetAt).toISOString()}`
  return { state: remaining > 0 ? 'ok' : 'note', what: 'rate', found }
}

/** Whether comments on pull requests are commands, how they are heard of, and whether their authors can be looked up. */
async function checkCommands(api: ForgeApi, github: ForgeSettings, env: HomeContext['env']): Promise<DoctorCheck> {
  const what = 'comments'
  if (!github.commands) {
    const found = 'start nothing: github.commands is false'
    return { state: 'note', what, found, advice: 'set github.commands to true for /fix in comments' }
  }
  const hook = await findWebhookSecret(github, env)
  // Whatever it answers: a credential that may not ask is refused.
  const { login, kind } = await api.identity()
  await api.mayWrite(kind === 'app' ? api.address.owner : login)
  const ways = hook === undefined ? 'by watches alone' : `by the webhook (its secret: ${hook.from}) and by watches`
  const found = `start sessions, ${ways}`
  if (hook !== undefined) return { state: 'ok', what, found }
  const advice =
    'give github.webhook_secret_file, so that GitHub can post them to POST /api/github/webhook of "fixwright up"'
  return { state: 'note', what, found, advice }
}

function toProblem(error: unknown): DoctorCheck {
  if (error instanceof FixwrightError) return { state: 'missing', what: 'credential', found: error.message }
  if (!(error instanceof ForgeError)) throw error
  const what = error.kind === 'unauthorised' ? 'credential' : 'answer'
  const advice = error.needs === undefined ? undefined : `it would need ${error.needs}`
  return { state: 'missing', what, found: error.message, advice }
}
