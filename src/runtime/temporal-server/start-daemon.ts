// Starts a process that outlives us: in a session of its own, so that Ctrl-C in a terminal does not reach it, with all that it
// prints at the end of a log. Why it could not be started stands there, too.
import { appendFileSync, closeSync, openSync } from 'node:fs'

export interface DaemonOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly logFile: string
}

export interface Daemon {
  /** Or never began. */
  hasEnded(): boolean
}

export async function startDaemon(
  command: string,
  args: readonly string[],
  { cwd, env, logFile }: DaemonOptions,
): Promise<Daemon> {
  const { execa } = await import('execa')
  // Any descriptor will do, but its type knows only those up to 9.
  const log = openSync(logFile, 'a', 0o600) as 3
  const child = execa(command, args, {
    ...{ cwd, env, extendEnv: false, detached: true, cleanup: false },
    ...{ stdin: 'ignore', stdout: log, stderr: log, buffer: false, reject: false },
  })
  closeSync(log)
  child.nodeChildProcess.unref()
  let isOver = false
  void child.then(({ failed, originalMessage }) => {
    if (failed && child.pid === undefined) appendFileSync(logFile, `${originalMessage}\n`)
    isOver = true
  })
  return { hasEnded: () => isOver }
}
