// How one git command is run: by simple-git, in this process or in a helper's (elsewhere.ts).
import { GitPluginError, type SimpleGitOptions, simpleGit } from 'simple-git'

export interface GitOutput {
  readonly stdout: Buffer
  readonly stderr: string
  readonly code: number
}

export interface GitRequest {
  readonly directory: string
  readonly args: readonly string[]
  /** The whole of its environment. */
  readonly env: Readonly<Record<string, string>>
  /** `name=value`, before whatever configuration is there. */
  readonly config: readonly string[]
  readonly input?: string | Buffer | undefined
}

/** With what went wrong besides its status: it was not found, or cancelled. */
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
} as const

export const runGitInProcess: GitRunner = async ({ directory, args, env, config, input }, signal) => {
  let output: GitOutput = { stdout: Buffer.alloc(0), stderr: '', code: -1 }
  const options: Partial<SimpleGitOptions> = {
    baseDir: directory,
    config: [...config],
    unsafe: ALLOWED_UNSAFE_OPTIONS,
    allowEnvironment: Object.keys(env),
    // Its default resolves 50 ms after `exit`, on a busy machine before all output was read.
    completion: { onClose: true, onExit: false },
    // Asked after every command. Its own idea of a failure is "said something on standard error": ours is the status.
    errors: (error, { stdOut, stdErr, exitCode }) => {
      output = { stdout: Buffer.concat(stdOut), stderr: Buffer.concat(stdErr).toString(), code: exitCode }
      return error instanceof GitPluginError ? error : undefined
    },
    ...(input === undefined ? {} : { input: () => input }),
    ...(signal ? { abort: signal } : {}),
  }
  try {
    // simple-git waits 50 ms more for a command that printed nothing; an empty chunk at the end spares us that.
    const atEnd = (stdout: NodeJS.ReadableStream) => stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)))
    await simpleGit(options)
      .env({ ...env })
      .outputHandler((_command, stdout) => atEnd(stdout))
      .raw([...args])
  } catch (error) {
    return { ...output, failure: error instanceof Error ? error.message : String(error) }
  }
  return output
}
