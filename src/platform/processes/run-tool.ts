// Runs a small program to its end or its time limit and returns its output: versions, archives, whether bubblewrap works. It
// starts nothing of the operator's or an agent's, so it carries no marker. Its process group ends with it.
import { keepAbsoluteEntries } from './find-command.ts'

export interface ToolRun {
  readonly stdout: string
  readonly stderr: string
  /** Why it failed, in one line; undefined if it ended with status 0. */
  readonly failure: string | undefined
}

export async function runTool(
  command: string,
  args: readonly string[],
  { env, timeoutMs }: { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number },
): Promise<ToolRun> {
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
  })
  const { stdout = '', stderr = '' } = result
  if (!result.failed) return { stdout, stderr, failure: undefined }
  const failure = result.timedOut
    ? `it was still busy after ${timeoutMs / 1000} s`
    : result.shortMessage?.split('\n')[0]
  return { stdout, stderr, failure: failure || 'it failed without a word' }
}
