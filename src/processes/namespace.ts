// A PID namespace around a command, where bubblewrap can make one: when its first process ends, or the worker does, the kernel ends
// every process inside, whatever it did to hide. Whether it works is found out by doing it, once per process: containers and
// hardened kernels have the program and refuse the call. Everything must also hold without it.
import { execFile } from 'node:child_process'
import { MARKER_VARIABLE } from './marker.ts'

const WRAP = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent']

interface Spawnable {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

let works: Promise<boolean> | undefined

export function pidNamespaceWorks(): Promise<boolean> {
  works ??= new Promise((resolve) => {
    if (process.platform !== 'linux') return resolve(false)
    execFile('bwrap', [...WRAP, 'true'], { timeout: 5_000 }, (error) => resolve(error === null))
  })
  return works
}

/**
 * The same command inside a namespace. bwrap's own two processes go without the marker: TERM is sent to what carries it,
 * and bwrap would end the command at once, with KILL, when it got the TERM itself.
 */
export function insidePidNamespace(inner: Spawnable, cwd: string): Spawnable {
  const { [MARKER_VARIABLE]: marker, ...env } = inner.env
  const mark = marker === undefined ? [] : ['--setenv', MARKER_VARIABLE, marker]
  return { command: 'bwrap', args: [...WRAP, ...mark, '--chdir', cwd, '--', inner.command, ...inner.args], env }
}
