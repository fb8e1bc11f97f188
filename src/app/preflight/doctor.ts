// What has to be there for Fixwright to work, looked at one by one: nothing is started, fetched or changed, and no model is
// called. `missing` is what would stop a session; `note` is what a session can do without, or would fetch by itself.
import { statfsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { cliVersion, howToInstall } from '../../agents/cli-version.ts'
import { modelsProblem } from '../../agents/provider/sandbox.ts'
import { sandboxInWords } from '../../domain/settings/sandbox-level.ts'
import { isChallenged, type Settings } from '../../domain/settings/schema.ts'
import { findCommand, looseEntries } from '../../platform/processes/find-command.ts'
import { sandboxOf, sandboxProblem } from '../../platform/sandbox/enter-sandbox.ts'
import type { Environment, Home } from '../../runtime/home/home.ts'
import { openHome } from '../../runtime/home/home.ts'
import { liveInstance } from '../../runtime/instance/instance-file.ts'
import { effectiveSettings } from '../../runtime/settings/effective-settings.ts'
import { SettingsError } from '../../runtime/settings/merge-settings.ts'
import { cached, named, path as onPath } from '../../runtime/temporal-server/download-sources.ts'
import { findTemporal } from '../../runtime/temporal-server/find-executable.ts'
import { run } from '../../runtime/temporal-server/install.ts'
import { claudeSignIn, geminiSignIn, type SignIn } from './detect-sign-in.ts'
import { type Check, examineRepository } from './doctor-repository.ts'

// The first with `merge-tree --write-tree`, which brings fixes onto a branch that somebody moved.
const OLDEST_GIT = [2, 38] as const
const CLI_PATIENCE_MS = 30_000
const LITTLE_DISK = 2 * 2 ** 30
const TOO_LITTLE_DISK = 200 * 2 ** 20

/** With `repo` also what that repository says and needs. */
export async function examine(
  env: Environment,
  flags: Readonly<Record<string, unknown>> = {},
  repo?: string,
): Promise<Check[]> {
  const { home, check: homeCheck } = lookAtHome(env)
  const { settings, checks: settingsChecks } = lookAtSettings(home, env, flags)
  const checks = await Promise.all([
    { state: 'ok', what: 'node', found: `${process.versions.node} (${process.execPath})` } as const,
    git(env),
    searched(env),
    ...(settings ? agents(settings, env) : []),
    ...(settings && home ? [temporal(settings, home, env)] : []),
    sandbox(settings, env),
    homeCheck,
    ...(home ? [disk(home), instance(home)] : []),
    ...settingsChecks,
    ...(home && repo !== undefined ? [examineRepository(repo, { home, env, flags })] : []),
  ])
  return checks.flat()
}

async function git(env: Environment): Promise<Check> {
  const path = await findCommand('git', env.PATH)
  const advice = `install git ${OLDEST_GIT.join('.')} or newer, from git-scm.com or your system's packages`
  if (path === undefined) return { state: 'missing', what: 'git', found: 'not on the PATH', advice }
  const text = await run(path, ['--version'], { env, timeoutMs: CLI_PATIENCE_MS }).catch(
    (error: Error) => error.message,
  )
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text) ?? []
  const newEnough = Number(major) > OLDEST_GIT[0] || (Number(major) === OLDEST_GIT[0] && Number(minor) >= OLDEST_GIT[1])
  const found = `${text.replace(/^git version /, '')} (${path})`
  return newEnough ? { state: 'ok', what: 'git', found } : { state: 'missing', what: 'git', found, advice }
}

/** An entry that names another folder in each folder would have a repository's programs run. */
function searched({ PATH }: Environment): Check[] {
  const entries = looseEntries(PATH).map((entry) => JSON.stringify(entry))
  if (entries.length === 0) return []
  const found = `not looked into for git, bubblewrap and the CLIs: ${entries.join(', ')}`
  return [{ state: 'note', what: 'PATH', found, advice: 'name these folders from the root on, if programs are there' }]
}

function agents(settings: Settings, env: Environment): Promise<Check[]>[] {
  const { claude, gemini } = settings
  const fixer = agent('claude', claude.command, claudeSignIn(env), env)
  if (isChallenged(settings)) return [fixer, agent('gemini', gemini.command, geminiSignIn(env), env)]
  return [fixer, Promise.resolve([{ state: 'note', what: 'gemini', found: 'not needed: the challenger is off' }])]
}

async function agent(vendor: 'claude' | 'gemini', command: string, signIn: SignIn, env: Environment): Promise<Check[]> {
  const { path, version, problem } = await cliVersion(command, { ...env })
  if (path === undefined) {
    return [{ state: 'missing', what: vendor, found: 'not found', advice: howToInstall(command, vendor) }]
  }
  if (version === undefined) {
    const advice = `run "${command} --version" to see why, or install it again`
    return [{ state: 'missing', what: vendor, found: `${path}: ${problem}`, advice }]
  }
  return [{ state: 'ok', what: vendor, found: `${version} (${path})` }, signInCheck(vendor, command, signIn)]
}

function signInCheck(vendor: 'claude' | 'gemini', command: string, signIn: SignIn): Check {
  const what = `${vendor} sign-in`
  const key = vendor === 'claude' ? 'ANTHROPIC_API_KEY' : 'GEMINI_API_KEY'
  const advice = `run "${command}" once and sign in, or set ${key}`
  switch (signIn.kind) {
    case 'found':
      return { state: 'ok', what, found: `seems to be there (${signIn.where})` }
    case 'unknown':
      return { state: 'note', what, found: "can't be told here", advice }
    case 'none':
      return { state: 'missing', what, found: 'no key and no sign-in was found', advice }
  }
}

async function temporal({ temporal }: Settings, home: Home, env: Environment): Promise<Check> {
  const what = 'Temporal'
  const address = temporal.address ?? env.TEMPORAL_ADDRESS
  if (address) return await cluster(address)
  const search = { env, cache: home.cache, cli: temporal.cli, onStep: () => undefined }
  try {
    const { path, source } = await findTemporal(search, [named, onPath, cached()])
    return { state: 'ok', what, found: `${path} (${source})` }
  } catch (error) {
    if (env.FIXWRIGHT_TEMPORAL_CLI || temporal.cli) {
      return {
        state: 'missing',
        what,
        found: (error as Error).message.split('\n')[0] ?? '',
        advice: 'name another one',
      }
    }
    const helpers = ['python3', 'go']
    const paths = await Promise.all(helpers.map((name) => findCommand(name, env.PATH)))
    const there = helpers.filter((_, index) => paths[index] !== undefined)
    const ways = ['the official release', ...there.map((name) => `${name === 'go' ? 'go install' : 'a Python wheel'}`)]
    return { state: 'note', what, found: `not here yet: the first command that needs it takes ${ways.join(', or ')}` }
  }
}

async function cluster(address: string): Promise<Check> {
  const what = 'Temporal'
  const at = address.lastIndexOf(':')
  const reached = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)) || 7233, timeout: 3_000 })
    const answer = (yes: boolean) => {
      socket.destroy()
      resolve(yes)
    }
    socket.once('connect', () => answer(true))
    socket.once('timeout', () => answer(false))
    socket.once('error', () => answer(false))
  })
  if (reached) return { state: 'ok', what, found: `your cluster at ${address}` }
  const advice = 'start it, correct temporal.address (or TEMPORAL_ADDRESS), or unset it to have one run for you'
  return { state: 'missing', what, found: `nothing answers at ${address}`, advice }
}

async function sandbox(settings: Settings | undefined, env: Environment): Promise<Check> {
  const what = 'sandbox'
  const mode = settings?.sandbox.mode ?? 'auto'
  const [files, network] = await Promise.all([sandboxProblem('open'), sandboxProblem('none')])
  const kind = await sandboxOf({ mode, pid_namespace: settings?.sandbox.pid_namespace ?? 'auto' })
  const found = `${mode}: agents run in ${sandboxInWords(kind)}`
  const possible = files === undefined && network === undefined
  const unreachable = settings && possible ? await modelsProblem(settings, env) : undefined
  if (unreachable !== undefined) return { state: 'missing', what, found: unreachable }
  if (mode !== 'off' && possible) return { state: 'ok', what, found }
  const why = files ?? network
  const install = process.platform === 'linux' ? 'install bubblewrap (bwrap), where the system allows it' : undefined
  if (mode === 'off') {
    const advice = possible ? 'bubblewrap works here: unset sandbox.mode to use it' : undefined
    return { state: 'note', what, found, advice }
  }
  const advice = mode === 'require' ? `${install ?? 'use Linux'}, or set sandbox.mode to auto` : install
  if (mode === 'require') return { state: 'missing', what, found: `sandbox.mode is require: ${why}`, advice }
  return { state: 'note', what, found: `${found} (${why})`, advice }
}

function lookAtHome(env: Environment): { readonly home?: Home; readonly check: Check } {
  const what = 'home'
  try {
    const home = openHome(env)
    const mode = (statSync(home.path).mode & 0o777).toString(8)
    return { home, check: { state: 'ok', what, found: `${home.path} (mode ${mode}, yours alone)` } }
  } catch (error) {
    const [found = '', advice] = (error as Error).message.split('; ')
    return { check: { state: 'missing', what, found, advice } }
  }
}

function disk({ path }: Home): Check {
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  const found = `${(free / 2 ** 30).toFixed(1)} GiB free for clones and artifacts`
  const state = free < TOO_LITTLE_DISK ? 'missing' : free < LITTLE_DISK ? 'note' : 'ok'
  const advice = state === 'ok' ? undefined : 'make room, or set FIXWRIGHT_HOME to a larger disk'
  return { state, what: 'disk', found, advice }
}

function instance(home: Home): Check {
  const running = liveInstance(home)
  if (running === undefined)
    return { state: 'ok', what: 'instance', found: 'none runs; commands start one when they need it' }
  const { identity, address, version } = running
  return { state: 'ok', what: 'instance', found: `${version} runs (process ${identity.pid}) on Temporal at ${address}` }
}

function lookAtSettings(home: Home | undefined, env: Environment, flags: Readonly<Record<string, unknown>>) {
  if (home === undefined) return { checks: [] }
  try {
    const { settings } = effectiveSettings({ home, env, flags })
    return { settings, checks: [{ state: 'ok', what: 'settings', found: `profile ${settings.profile}` } as const] }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const advice = '"fixwright config" shows all settings once this is mended'
    return { checks: error.problems.map((found) => ({ state: 'missing', what: 'settings', found, advice }) as const) }
  }
}
