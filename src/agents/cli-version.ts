// Detects which version of a CLI would run, for `doctor`. This takes under a second and calls no provider.
import { findCommand } from '../platform/processes/find-command.ts'
import { runTool } from '../platform/processes/run-tool.ts'

export interface CliVersion {
  /** Undefined if the CLI is not installed. */
  readonly path: string | undefined
  readonly version: string | undefined
  readonly problem?: string
}

const VERSION_TIMEOUT_MS = 20_000

export async function detectCliVersion(
  command: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<CliVersion> {
  const path = await findCommand(command, environment.PATH)
  if (path === undefined)
    return { path, version: undefined, problem: `${command} is not installed, or not on the PATH` }
  const { HOME } = environment
  const env = { PATH: environment.PATH, HOME, GEMINI_CLI_NO_RELAUNCH: 'true', DISABLE_AUTOUPDATER: '1' }
  const { stdout, stderr, failure } = await runTool(path, ['--version'], { env, timeoutMs: VERSION_TIMEOUT_MS })
  const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0]
  if (version !== undefined) return { path, version }
  const why = (stderr || failure || 'it printed nothing').trim().split('\n')[0]
  return { path, version, problem: `${command} --version told no version: ${why}` }
}

export function installHint(command: string, vendor: 'claude' | 'gemini'): string {
  const name = vendor === 'claude' ? '@anthropic-ai/claude-code' : '@google/gemini-cli'
  return `${command} is not installed, or not on the PATH: install it with "npm install -g ${name}", sign in once by running it, or name its path in ${vendor}.command`
}
