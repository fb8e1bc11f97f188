// Runs one git command with simple-git, in this process or in a helper process (use-helper-process.ts).
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { GitPluginError, type SimpleGitOptions, simpleGit } from 'simple-git'

export interface GitOutput {
  readonly stdout: Buffer
  readonly stderr: string
  readonly code: number
}

export interface GitRequest {
  readonly directory: string
  readonly args: readonly string[]
  /** The command's whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** `name=value`; overrides the configuration files. */
  readonly config: readonly string[]
  readonly input?: string | Buffer | undefined
}

/** `failure` is set when git failed other than by its status: not found, or cancelled. */
export interface GitResult extends GitOutput {
  readonly failure?: string
}

export type GitRunner = (request: GitRequest, signal?: AbortSignal) => Promise<GitResult>

const ALLOWED_UNSAFE_OPTIONS = {
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeConfigPaths: true,
  allowUnsafeConfigEnvCount: true,
  allowUnsafeFilter: true,
  allowUnsafeAskPass: true,
  // To name no helper, and how ssh is called: both are ours.
  allowUnsafeCredentialHelper: true,
  allowUnsafeSshCommand: true,
  allowUnsafeTemplateDir: true,
} as const

/** A cancelled session ends within three seconds, so git gets less to remove its locks after INT. */
const KILL_AFTER_MS = 2_000

// simple-git sends INT and nothing after it, and does not show its process: Node announces each one as it is made.
let lastSpawned: ChildProcess | undefined
subscribe('child_process', (message) => {
  lastSpawned = (message as { readonly process: ChildProcess }).process
})

export const runGitInProcess: GitRunner = async ({ directory, args, env, config, input }, signal) => {
  let output: GitOutput = { stdout: Buffer.alloc(0), stderr: '', code: -1 }
  const options: Partial<SimpleGitOptions> = {
    baseDir: directory,
    config: [...config],
    unsafe: ALLOWED_UNSAFE_OPTIONS,
    allowEnvironment: Object.keys(env),
    // The default resolves 50 ms after `exit`, on a busy machine before all output is read.
    completion: { onClose: true, onExit: false },
    // Called after every command. simple-git counts any text on standard error as a failure; we go by the exit status.
    errors: (error, { stdOut, stdErr, exitCode }) => {
      output = { stdout: Buffer.concat(stdOut), stderr: Buffer.concat(stdErr).toString(), code: exitCode }
      return error instanceof GitPluginError ? error : undefined
    },
    ...(input === undefined ? {} : { input: () => input }),
    ...(signal ? { abort: signal } : {}),
  }
  try {
    // simple-git waits 50 ms longer for a command that prints nothing; an empty chunk at the end avoids that.
    const atEnd = (stdout: NodeJS.ReadableStream) => stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)))
    await simpleGit(options)
      .env({ ...env })
      .outputHandler((_command, stdout) => {
        atEnd(stdout)
        if (signal && lastSpawned?.stdout === stdout) killAfterGrace(lastSpawned, signal)
      })
      .raw([...args])
  } catch (error) {
    return { ...output, failure: error instanceof Error ? error.message : String(error) }
  }
  return output
}

/** Git that is stopped, or waits for a device, does not end on INT; a process that it left may hold its output open. */
function killAfterGrace(git: ChildProcess, signal: AbortSignal): void {
  let timer: NodeJS.Timeout | undefined
  const kill = (): void => {
    git.kill('SIGKILL')
    git.stdout?.destroy()
    git.stderr?.destroy()
  }
  const onAbort = (): void => {
    timer = setTimeout(kill, KILL_AFTER_MS)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  git.once('close', () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  })
}
