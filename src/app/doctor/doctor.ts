// Checks everything that Fixwright needs, without starting, fetching or changing anything (but a probe in a bucket) or calling a model. `missing`
// would stop a session; `note` is something that a session does without or fetches by itself.
import { statfsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { modelAccessProblem } from '../../agents/provider/model-access.ts'
import { describeSandbox } from '../../domain/settings/sandbox-level.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { findCommand, listRelativeEntries } from '../../platform/processes/find-command.ts'
import { detectSandboxLevel, sandboxProblem } from '../../platform/sandbox/enter-sandbox.ts'
import type { RepositorySettingsSources } from '../../preflight/read-repository.ts'
import { type Environment, type Home, openHome } from '../../runtime/home/home.ts'
import { findLiveInstance, type Instance } from '../../runtime/instance/instance-file.ts'
import { loadSettings, SettingsError } from '../../runtime/settings/merge-settings.ts'
import { cacheSource, namedSource, pathSource as onPath } from '../../runtime/temporal-server/download-sources.ts'
import { findTemporalExecutable } from '../../runtime/temporal-server/find-executable.ts'
import { readTool } from '../../runtime/temporal-server/install.ts'
import { explainError } from '../explain-error.ts'
import { findRepositoryFolder } from '../find-repository.ts'
import { checkAgents } from './doctor-agents.ts'
import { checkRepository, type DoctorCheck } from './doctor-repository.ts'
import { checkBucket, checkStore } from './doctor-storage.ts'

// The first git with `merge-tree --write-tree`, which brings fixes onto a branch that somebody moved.
const OLDEST_GIT = [2, 38] as const
const CLI_TIMEOUT_MS = 30_000
const LOW_DISK_BYTES = 2 * 2 ** 30
const MIN_DISK_BYTES = 200 * 2 ** 20

/** With `repo` also checks that repository's settings and needs. */
export async function runDoctor(
  env: Environment,
  flags: Readonly<Record<string, unknown>> = {},
  repo?: string,
): Promise<DoctorCheck[]> {
  const { home, check: homeCheck } = checkHome(env)
  const { settings, checks: settingsChecks } = checkSettings(home, env, flags)
  const running = home && findLiveInstance(home)
  const checks = await Promise.all([
    { state: 'ok', what: 'node', found: `${process.versions.node} (${process.execPath})` } as const,
    checkGit(env),
    checkSearchPath(env),
    ...(settings ? checkAgents(settings, { own: env, instance: running?.environment }) : []),
    ...(settings && home ? [checkTemporal(settings, home, env), checkBucket(settings, home, env)] : []),
    checkSandbox(settings, env),
    homeCheck,
    ...(home ? [checkDisk(home), checkStore(home, env), checkInstance(running)] : []),
    ...settingsChecks,
    ...(home && repo !== undefined ? [checkRepositoryOrExplain(repo, { home, env, flags })] : []),
  ])
  return checks.flat()
}

async function checkRepositoryOrExplain(repo: string, sources: RepositorySettingsSources): Promise<DoctorCheck[]> {
  try {
    return await checkRepository(await findRepositoryFolder(sources.home, repo), sources)
  } catch (error) {
    return [{ state: 'missing', what: 'repository', found: explainError(error, sources.env).message }]
  }
}

async function checkGit(env: Environment): Promise<DoctorCheck> {
  const path = await findCommand('git', env.PATH)
  const advice = `install git ${OLDEST_GIT.join('.')} or newer, from git-scm.com or your system's packages`
  if (path === undefined) return { state: 'missing', what: 'git', found: 'not on the PATH', advice }
  const text = await readTool(path, ['--version'], { env: { PATH: env.PATH }, timeoutMs: CLI_TIMEOUT_MS }).catch(
    (error: Error) => error.message,
  )
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text) ?? []
  const newEnough = Number(major) > OLDEST_GIT[0] || (Number(major) === OLDEST_GIT[0] && Number(minor) >= OLDEST_GIT[1])
  const found = `${text.replace(/^git version /, '')} (${path})`
  return newEnough ? { state: 'ok', what: 'git', found } : { state: 'missing', what: 'git', found, advice }
}

/** A relative entry names another folder in each folder, so a repository's own programs would run. */
function checkSearchPath({ PATH }: Environment): DoctorCheck[] {
  const entries = listRelativeEntries(PATH).map((entry) => JSON.stringify(entry))
  if (entries.length === 0) return []
  const found = `not looked into for git, bubblewrap and the CLIs: ${entries.join(', ')}`
  return [{ state: 'note', what: 'PATH', found, advice: 'name these folders from the root on, if programs are there' }]
}

async function checkTemporal({ temporal }: Settings, home: Home, env: Environment): Promise<DoctorCheck> {
  const what = 'Temporal'
  const address = temporal.address ?? env.TEMPORAL_ADDRESS
  if (address) return await checkCluster(address)
  const search = { env, cache: home.cache, cli: temporal.cli, onStep: () => undefined }
  try {
    const { path, source } = await findTemporalExecutable(search, [namedSource, onPath, cacheSource()])
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

async function checkCluster(address: string): Promise<DoctorCheck> {
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

async function checkSandbox(settings: Settings | undefined, env: Environment): Promise<DoctorCheck> {
  const what = 'sandbox'
  const mode = settings?.sandbox.mode ?? 'auto'
  const [files, network] = await Promise.all([sandboxProblem('open'), sandboxProblem('none')])
  const kind = await detectSandboxLevel({ mode, pid_namespace: settings?.sandbox.pid_namespace ?? 'auto' })
  const found = `${mode}: agents run in ${describeSandbox(kind)}`
  const possible = files === undefined && network === undefined
  const unreachable = settings && possible ? await modelAccessProblem(settings, env) : undefined
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

function checkHome(env: Environment): { readonly home?: Home; readonly check: DoctorCheck } {
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

function checkDisk({ path }: Home): DoctorCheck {
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  const found = `${(free / 2 ** 30).toFixed(1)} GiB free for clones and artifacts`
  const state = free < MIN_DISK_BYTES ? 'missing' : free < LOW_DISK_BYTES ? 'note' : 'ok'
  const advice = state === 'ok' ? undefined : 'make room, or set FIXWRIGHT_HOME to a larger disk'
  return { state, what: 'disk', found, advice }
}

function checkInstance(running: Instance | undefined): DoctorCheck {
  if (running === undefined)
    return { state: 'ok', what: 'instance', found: 'none runs; commands start one when they need it' }
  const { identity, address, version } = running
  return { state: 'ok', what: 'instance', found: `${version} runs (process ${identity.pid}) on Temporal at ${address}` }
}

function checkSettings(home: Home | undefined, env: Environment, flags: Readonly<Record<string, unknown>>) {
  if (home === undefined) return { checks: [] }
  try {
    const { settings } = loadSettings({ home, env, flags })
    return { settings, checks: [{ state: 'ok', what: 'settings', found: `profile ${settings.profile}` } as const] }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const advice = '"fixwright config" shows all settings once this is mended'
    return { checks: error.problems.map((found) => ({ state: 'missing', what: 'settings', found, advice }) as const) }
  }
}
