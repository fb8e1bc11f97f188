// Runs a command in a PID namespace of bubblewrap: the kernel ends every process inside when its first process or the worker ends,
// whatever they did to hide. Without a sandbox everything must also hold where bubblewrap does not work.
import { resolve } from 'node:path'
import { findCommand } from './find-command.ts'
import { MARKER_VARIABLE } from './marked-processes.ts'
import { runTool } from './run-tool.ts'

const PID_ONLY_MOUNTS = ['--dev-bind', '/', '/', '--proc', '/proc']
const NAMESPACE_ARGUMENTS = ['--unshare-pid', '--die-with-parent']

/** The relay hands the marker on to the command under this name. The relay itself, like bubblewrap, carries no marker. */
export const RELAYED_MARKER_VARIABLE = 'FIXWRIGHT_MARK_FOR_CHILD'

/** The setup of bubblewrap beyond the PID namespace. */
export interface BubblewrapOptions {
  /** Arguments of bubblewrap for the view of the file system and the network. */
  readonly mountArguments: readonly string[]
  /** Comes before the command's own line inside: it starts the command and ends as the command does. */
  readonly relayCommand?: readonly string[] | undefined
}

interface SpawnCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

export type BubblewrapTrial = { readonly bwrap: string } | { readonly bwrap?: undefined; readonly why: string }

const trials = new Map<string, Promise<BubblewrapTrial>>()

export async function canUsePidNamespace(): Promise<boolean> {
  return (await tryBubblewrap(PID_ONLY_MOUNTS)).bwrap !== undefined
}

/** Tries bubblewrap with this view, once per process: containers and hardened kernels have the program and refuse the call. */
export function tryBubblewrap(view: readonly string[]): Promise<BubblewrapTrial> {
  const key = view.join('\0')
  const known = trials.get(key) ?? runTrial(view)
  trials.set(key, known)
  return known
}

async function runTrial(view: readonly string[]): Promise<BubblewrapTrial> {
  if (process.platform !== 'linux') return { why: 'only Linux has it' }
  const bwrap = await findCommand('bwrap', process.env.PATH)
  if (bwrap === undefined) return { why: 'bubblewrap (bwrap) is not installed' }
  const args = [...view, ...NAMESPACE_ARGUMENTS, 'true']
  const { stderr, failure } = await runTool(bwrap, args, { env: { PATH: process.env.PATH }, timeoutMs: 5_000 })
  if (failure === undefined) return { bwrap }
  return { why: `bubblewrap is refused here: ${stderr.trim().split('\n')[0] || failure}` }
}

/** bwrap's own two processes carry no marker: on a TERM to all marked processes bwrap would KILL the command at once. */
export async function wrapInNamespace(
  inner: SpawnCommand,
  cwd: string,
  walls?: BubblewrapOptions,
): Promise<SpawnCommand> {
  const { bwrap: command = 'bwrap' } = await tryBubblewrap(PID_ONLY_MOUNTS)
  const { [MARKER_VARIABLE]: marker, ...env } = inner.env
  const variable = walls?.relayCommand ? RELAYED_MARKER_VARIABLE : MARKER_VARIABLE
  const mark = marker === undefined ? [] : ['--setenv', variable, marker]
  const line = [...(walls?.relayCommand ?? []), inner.command, ...inner.args]
  const args = [
    ...(walls?.mountArguments ?? PID_ONLY_MOUNTS),
    ...NAMESPACE_ARGUMENTS,
    ...mark,
    '--chdir',
    resolve(cwd),
    '--',
    ...line,
  ]
  return { command, args, env }
}
