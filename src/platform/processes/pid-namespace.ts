// What bubblewrap puts around a command. At least a PID namespace: when its first process ends, or the worker does, the kernel ends
// every process inside, whatever it did to hide. With walls (room `sandbox`) also a file system and a network of its own. Whether
// it works is found out by doing it, once per process: containers and hardened kernels have the program and refuse the call.
// Without walls everything must also hold where it doesn't work.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { findCommand, firmPath } from './find-command.ts'
import { MARKER_VARIABLE } from './marked-processes.ts'

const PROCESSES_ONLY = ['--dev-bind', '/', '/', '--proc', '/proc']
const ALWAYS = ['--unshare-pid', '--die-with-parent']

/** Its own name for the marker: the relay itself goes without, as bubblewrap does. */
export const RELAYED_MARKER_VARIABLE = 'FIXWRIGHT_MARK_FOR_CHILD'

/** What is behind bubblewrap besides a PID namespace. */
export interface Walls {
  /** Arguments of bubblewrap that say what is to be seen. */
  readonly view: readonly string[]
  /** The beginning of a command line inside, before the command's own: it starts it and ends as it does. */
  readonly relay?: readonly string[] | undefined
}

interface Spawnable {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

export type Trial = { readonly bwrap: string } | { readonly bwrap?: undefined; readonly why: string }

const trials = new Map<string, Promise<Trial>>()

export async function pidNamespaceWorks(): Promise<boolean> {
  return (await tryBubblewrap(PROCESSES_ONLY)).bwrap !== undefined
}

/** Whether bubblewrap can show this view, tried once for each. */
export function tryBubblewrap(view: readonly string[]): Promise<Trial> {
  const key = view.join('\0')
  const known = trials.get(key) ?? trial(view)
  trials.set(key, known)
  return known
}

async function trial(view: readonly string[]): Promise<Trial> {
  if (process.platform !== 'linux') return { why: 'only Linux has it' }
  const bwrap = await findCommand('bwrap', process.env.PATH)
  if (bwrap === undefined) return { why: 'bubblewrap (bwrap) is not installed' }
  const env = { ...process.env, PATH: firmPath(process.env.PATH) }
  return await new Promise((done) => {
    execFile(bwrap, [...view, ...ALWAYS, 'true'], { env, timeout: 5_000 }, (error, _, stderr) => {
      if (error === null) return done({ bwrap })
      done({ why: `bubblewrap is refused here: ${stderr.trim().split('\n')[0] || error.message.split('\n')[0]}` })
    })
  })
}

/**
 * The same command inside. bwrap's own two processes go without the marker: TERM is sent to what carries it,
 * and bwrap would end the command at once, with KILL, when it got the TERM itself.
 */
export async function insideNamespace(inner: Spawnable, cwd: string, walls?: Walls): Promise<Spawnable> {
  const { bwrap: command = 'bwrap' } = await tryBubblewrap(PROCESSES_ONLY)
  const { [MARKER_VARIABLE]: marker, ...env } = inner.env
  const variable = walls?.relay ? RELAYED_MARKER_VARIABLE : MARKER_VARIABLE
  const mark = marker === undefined ? [] : ['--setenv', variable, marker]
  const line = [...(walls?.relay ?? []), inner.command, ...inner.args]
  const args = [...(walls?.view ?? PROCESSES_ONLY), ...ALWAYS, ...mark, '--chdir', resolve(cwd), '--', ...line]
  return { command, args, env }
}
