// A PID namespace around a command, where bubblewrap can make one: when its first process ends, or the worker does, the kernel ends
// every process inside, whatever it did to hide. Whether it works is found out by doing it, once per process: containers and
// hardened kernels have the program and refuse the call. Everything must also hold without it.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { MARKER_VARIABLE } from './marker.ts'
import { findCommand } from './which.ts'

const WRAP = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent']

interface Spawnable {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

let working: Promise<string | undefined> | undefined

export async function pidNamespaceWorks(): Promise<boolean> {
  return (await workingWrapper()) !== undefined
}

function workingWrapper(): Promise<string | undefined> {
  working ??= tryWrapper()
  return working
}

async function tryWrapper(): Promise<string | undefined> {
  const bwrap = process.platform === 'linux' ? await findCommand('bwrap', process.env.PATH) : undefined
  if (bwrap === undefined) return undefined
  return await new Promise((done) => {
    execFile(bwrap, [...WRAP, 'true'], { timeout: 5_000 }, (error) => done(error === null ? bwrap : undefined))
  })
}

/**
 * The same command inside a namespace. bwrap's own two processes go without the marker: TERM is sent to what carries it,
 * and bwrap would end the command at once, with KILL, when it got the TERM itself.
 */
export async function insidePidNamespace(inner: Spawnable, cwd: string): Promise<Spawnable> {
  const command = (await workingWrapper()) ?? 'bwrap'
  const { [MARKER_VARIABLE]: marker, ...env } = inner.env
  const mark = marker === undefined ? [] : ['--setenv', MARKER_VARIABLE, marker]
  return { command, args: [...WRAP, ...mark, '--chdir', resolve(cwd), '--', inner.command, ...inner.args], env }
}
