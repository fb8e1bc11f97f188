// Detects which version of a CLI would run, without calling a provider, and whether it is new enough.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findCommand } from '../platform/processes/find-command.ts'
import { runTool } from '../platform/processes/run-tool.ts'

export interface CliVersion {
  /** Undefined if the CLI is not installed. */
  readonly path: string | undefined
  readonly version: string | undefined
  readonly problem?: string
}

const VERSION_TIMEOUT_MS = 20_000

const PACKAGES = { claude: '@anthropic-ai/claude-code', gemini: '@google/gemini-cli' } as const

/** The oldest versions that were seen to have all the options that we call them with. */
const OLDEST = { claude: '2.1.41', gemini: '0.40.1' } as const

export type Vendor = keyof typeof PACKAGES

/** Undefined if the version is new enough. */
export function explainTooOld(vendor: Vendor, version: string): string | undefined {
  const oldest = OLDEST[vendor]
  const [has, needs] = [version, oldest].map((text) => text.split(/[.-]/, 3).map(Number)) as [number[], number[]]
  const difference = has.map((part, at) => part - (needs[at] ?? 0)).find((part) => part !== 0) ?? 0
  if (difference >= 0) return undefined
  return `${vendor} ${version} is too old: ${oldest} or newer is needed ("npm install -g ${PACKAGES[vendor]}")`
}

/** The version that the CLI's package states, which takes no time; else the one that the CLI tells. */
export async function detectCliVersionQuickly(
  vendor: Vendor,
  command: string,
  environment: NodeJS.ProcessEnv,
): Promise<CliVersion> {
  const path = await findCommand(command, environment.PATH)
  const version = path === undefined ? undefined : readPackagedVersion(path, PACKAGES[vendor])
  return version === undefined ? await detectCliVersion(command, environment) : { path, version }
}

function readPackagedVersion(path: string, name: string): string | undefined {
  for (let at = dirname(realpathSync(path)); at !== dirname(at); at = dirname(at)) {
    const file = join(at, 'package.json')
    if (!existsSync(file)) continue
    const stated = JSON.parse(readFileSync(file, 'utf8')) as { readonly name?: string; readonly version?: string }
    return stated.name === name ? stated.version : undefined
  }
  return undefined
}

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

export function installHint(command: string, vendor: Vendor): string {
  return `${command} is not installed, or not on the PATH: install it with "npm install -g ${PACKAGES[vendor]}", sign in once by running it, or name its path in ${vendor}.command`
}
