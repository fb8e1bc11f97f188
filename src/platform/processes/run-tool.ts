// Runs a small program to its end or its time limit and returns its output: versions, archives, lists of files. It
// starts nothing of the operator's or an agent's, so it carries no marker. Its process group ends with it.
import { AsyncLocalStorage } from 'node:async_hooks'
import { keepAbsoluteEntries } from './find-command.ts'

export interface ToolRun {
  readonly stdout: string
  readonly stderr: string
  /** Why it failed, in one line; undefined if it ended with status 0. */
  readonly failure: string | undefined
  /** Its exit status; undefined if it did not start, or was ended. */
  readonly code: number | undefined
}

interface ToolOptions {
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs: number
  /** Of its output. */
  readonly encoding?: 'utf8' | 'latin1'
}

const cancellation = new AsyncLocalStorage<AbortSignal>()

/** The signal ends all tools and git commands that the work runs. Nobody in between passes it on, so none can forget to. */
export function runCancellable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return cancellation.run(signal, work)
}

export function getCancellation(): AbortSignal | undefined {
  return cancellation.getStore()
}

export async function runTool(
  command: string,
  args: readonly string[],
  { env, timeoutMs, encoding = 'utf8' }: ToolOptions,
): Promise<ToolRun> {
  const signal = getCancellation()
  // Loading execa takes 75 ms, and most commands run no tool.
  const { execa } = await import('execa')
  const result = await execa(command, args, {
    env: { ...env, PATH: keepAbsoluteEntries(env.PATH) },
    extendEnv: false,
    timeout: timeoutMs,
    forceKillAfterDelay: 2_000,
    killDescendants: true,
    stdin: 'ignore',
    reject: false,
    encoding,
    ...(signal ? { cancelSignal: signal } : {}),
  })
  signal?.throwIfAborted()
  const { stdout = '', stderr = '', exitCode: code } = result
  if (!result.failed) return { stdout, stderr, failure: undefined, code }
  const failure = result.timedOut
    ? `it was still busy after ${timeoutMs / 1000} s`
    : result.shortMessage?.split('\n')[0]
  return { stdout, stderr, failure: failure || 'it failed without a word', code }
}
