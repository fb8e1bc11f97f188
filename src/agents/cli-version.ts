// Which version of a CLI would run: for `doctor`. Asking takes under a second and calls no provider.
import { execFile } from 'node:child_process'
import { findCommand, keepAbsoluteEntries } from '../platform/processes/find-command.ts'

export interface CliVersion {
  /** Where it was found; undefined when it is not installed. */
  readonly path: string | undefined
  readonly version: string | undefined
  /** Why there is no version. */
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
  return new Promise((resolve) => {
    const env = {
      PATH: keepAbsoluteEntries(environment.PATH),
      HOME: environment.HOME,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      DISABLE_AUTOUPDATER: '1',
    }
    execFile(
      path,
      ['--version'],
      { env, timeout: VERSION_TIMEOUT_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0]
        if (version !== undefined) return resolve({ path, version })
        const why = (stderr || error?.message || 'it printed nothing').trim().split('\n')[0]
        resolve({ path, version: undefined, problem: `${command} --version told no version: ${why}` })
      },
    )
  })
}

/** What to tell someone whose CLI is missing. */
export function installHint(command: string, vendor: 'claude' | 'gemini'): string {
  const name = vendor === 'claude' ? '@anthropic-ai/claude-code' : '@google/gemini-cli'
  return `${command} is not installed, or not on the PATH: install it with "npm install -g ${name}", sign in once by running it, or name its path in ${vendor}.command`
}
