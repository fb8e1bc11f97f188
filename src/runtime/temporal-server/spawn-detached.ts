// Starts a process that outlives us, in a process session of its own, so that Ctrl-C in a terminal does not reach it. Its output, or why
// it could not start, is appended to a log.
import { appendFileSync, closeSync, openSync } from 'node:fs'

export interface DetachedOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly logFile: string
}

export interface DetachedProcess {
  /** True as well if it never began. */
  hasEnded(): boolean
}

export async function spawnDetached(
  command: string,
  args: readonly string[],
  { cwd, env, logFile }: DetachedOptions,
): Promise<DetachedProcess> {
  const { execa } = await import('execa')
  // Any descriptor works, but execa's type knows only those up to 9.
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
