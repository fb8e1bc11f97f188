// Puts a file sandbox around one run of a command, and in `require` a network of its own with one way out. A sandbox that is
// required and can't be had is an error, never quietly less.
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Sandbox } from '../../domain/settings/sandbox-level.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import { findCommand } from '../processes/find-command.ts'
import { type BubblewrapOptions, canUsePidNamespace, tryBubblewrap } from '../processes/pid-namespace.ts'
import { buildBareArguments, buildMountArguments, type Network, type SandboxView } from './bubblewrap-arguments.ts'
import { NO_EGRESS_ENVIRONMENT, openEgress } from './egress/egress.ts'
import type { Endpoint } from './egress/upstream-proxy.ts'
import { discardFolder } from './scratch-folders.ts'
import { expandHome, listProgramPaths } from './visible-programs.ts'

/** The rules for every run of a session. */
export interface SandboxRules {
  readonly settings: Settings['sandbox']
  /** Our own folders: hidden whatever else is visible, except for the parts that a run is given. */
  readonly hidden: readonly string[]
}

export interface SandboxedRun {
  readonly command: string
  /** The operator's environment, which says where their programs find what they need. */
  readonly environment: NodeJS.ProcessEnv
  /** A folder of this run alone, for temporary files and the home, which is empty or prepared by the caller. */
  readonly folder: string
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  readonly bindMounts?: SandboxView['bindMounts']
  /** Applies in `require`; in `auto` the network is open. */
  readonly network: Network | readonly Endpoint[]
}

export interface EnteredSandbox {
  readonly sandbox: Sandbox
  readonly bubblewrap: BubblewrapOptions
  /** The environment variables that differ inside. */
  readonly environment: NodeJS.ProcessEnv
  /** The endpoints that the run tried to reach and may not. */
  refusedEndpoints(): readonly string[]
  /** To be called when the run is over: removes its home. */
  release(): Promise<void>
}

/** These variables point to folders that are not visible. Without them programs fall back to a place in the home. */
const UNSET_VARIABLES = [
  'XDG_RUNTIME_DIR',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CONFIG_HOME',
  'GOCACHE',
]

/** Why this machine can't have such a sandbox. Tried once per kind. */
export async function sandboxProblem(network: Network): Promise<string | undefined> {
  const trial = await tryBubblewrap(buildBareArguments(network))
  return trial.bwrap === undefined ? trial.why : undefined
}

export async function requiredSandboxProblem({ mode }: Settings['sandbox']): Promise<string | undefined> {
  const why = mode === 'require' ? await sandboxProblem('none') : undefined
  if (why === undefined) return undefined
  return `sandbox.mode is require, and there is no sandbox on this machine (${why}): install bubblewrap where the system allows it, or set sandbox.mode to auto`
}

/** The sandbox level of agent calls with these settings on this machine. */
export async function detectSandboxLevel({
  mode,
  pid_namespace,
}: Pick<Settings['sandbox'], 'mode' | 'pid_namespace'>): Promise<Sandbox> {
  if (mode === 'require' && (await sandboxProblem('none')) === undefined) return 'network'
  if (mode === 'auto' && (await sandboxProblem('open')) === undefined) return 'files'
  return pid_namespace === 'auto' && (await canUsePidNamespace()) ? 'processes' : 'none'
}

/** Whether runs are sandboxed: not in `off`, nor where `auto` has to do without. Throws if `require` can't be met. */
export async function shouldEnterSandbox(settings: Settings['sandbox']): Promise<boolean> {
  const problem = await requiredSandboxProblem(settings)
  if (problem !== undefined) throw new Error(problem)
  return settings.mode === 'require' || (settings.mode === 'auto' && (await sandboxProblem('open')) === undefined)
}

export function sandboxHome(folder: string): string {
  return join(folder, 'home')
}

/** The caller has checked `shouldEnterSandbox`. */
export async function enterSandbox({ settings, hidden }: SandboxRules, inmate: SandboxedRun): Promise<EnteredSandbox> {
  const { environment } = inmate
  const network = settings.mode === 'auto' ? 'open' : inmate.network
  const at = environment.HOME || homedir()
  const home = sandboxHome(inmate.folder)
  const temporary = join(inmate.folder, 'tmp')
  await mkdir(temporary, { recursive: true, mode: 0o700 })
  const command = (await findCommand(inmate.command, environment.PATH)) ?? inmate.command
  const way = typeof network === 'string' ? undefined : await openEgress(network, settings.endpoints, inmate)
  const seen: SandboxView = {
    home: { at, folder: home },
    hidden,
    readable: [
      ...listProgramPaths(environment, at, [command]),
      ...expandHome(settings.readable, at),
      ...inmate.readable,
      ...(way?.readable ?? []),
    ],
    writable: [...expandHome(settings.writable, at), ...inmate.writable, temporary],
    bindMounts: [...(inmate.bindMounts ?? []), ...(way?.bindMounts ?? [])],
  }
  return {
    sandbox: network === 'open' ? 'files' : 'network',
    bubblewrap: {
      mountArguments: buildMountArguments(seen, network === 'open' ? 'open' : 'none'),
      relayCommand: way?.relayCommand,
    },
    environment: {
      ...Object.fromEntries(UNSET_VARIABLES.map((name) => [name, undefined])),
      ...(network === 'none' ? NO_EGRESS_ENVIRONMENT : way?.environment),
      HOME: at,
      TMPDIR: temporary,
    },
    refusedEndpoints: () => way?.refusedEndpoints() ?? [],
    release: async () => {
      await way?.close()
      await discardFolder(home)
    },
  }
}
