// What bubblewrap puts around a command. At least a PID namespace: when its first process ends, or the worker does, the kernel ends
// every process inside, whatever it did to hide. With walls (room `sandbox`) also a file system and a network of its own. Whether
// it works is found out by doing it, once per process: containers and hardened kernels have the program and refuse the call.
// Without walls everything must also hold where it doesn't work.
import { resolve } from 'node:path'
import { findCommand } from './find-command.ts'
import { MARKER_VARIABLE } from './marked-processes.ts'
import { runTool } from './run-tool.ts'

const PID_ONLY_MOUNTS = ['--dev-bind', '/', '/', '--proc', '/proc']
const NAMESPACE_ARGUMENTS = ['--unshare-pid', '--die-with-parent']

/** Its own name for the marker: the relay itself goes without, as bubblewrap does. */
export const RELAYED_MARKER_VARIABLE = 'FIXWRIGHT_MARK_FOR_CHILD'

/** What is behind bubblewrap besides a PID namespace. */
export interface BubblewrapOptions {
  /** Arguments of bubblewrap that say what is to be seen. */
  readonly mountArguments: readonly string[]
  /** The beginning of a command line inside, before the command's own: it starts it and ends as it does. */
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

/** Whether bubblewrap can show this view, tried once for each. */
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
  const { stderr, failure } = await runTool(bwrap, args, { env: process.env, timeoutMs: 5_000 })
  if (failure === undefined) return { bwrap }
  return { why: `bubblewrap is refused here: ${stderr.trim().split('\n')[0] || failure}` }
}

/**
 * The same command inside. bwrap's own two processes go without the marker: TERM is sent to what carries it,
 * and bwrap would end the command at once, with KILL, when it got the TERM itself.
 */
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
