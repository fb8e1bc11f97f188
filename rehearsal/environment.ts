// The environment in which the real CLIs talk to the scripted model and to nothing else: an allow-list made from scratch, a HOME
// of their own, dummy keys, and every switch that stops them from calling home. Nothing of the caller's environment but PATH goes in.

import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface RehearsalOptions {
  /** Where the scripted model listens. */
  readonly url: string
  /** A folder that becomes HOME; made if it is not there. */
  readonly home: string
  /** How often the CLIs ask again after an error (their own default: 10, with minutes between). */
  readonly attempts?: number
}

export interface CliPaths {
  readonly claude: string
  readonly gemini: string
  readonly bin: string
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** The pinned CLIs of this checkout. */
export function cliPaths(): CliPaths {
  const bin = join(ROOT, 'node_modules', '.bin')
  return { claude: join(bin, 'claude'), gemini: join(bin, 'gemini'), bin }
}

export function rehearsalEnvironment({ url, home, attempts }: RehearsalOptions): Record<string, string> {
  const temporary = join(home, 'tmp')
  mkdirSync(join(home, '.gemini'), { recursive: true })
  mkdirSync(temporary, { recursive: true })
  writeFileSync(join(home, '.gemini', 'settings.json'), `${JSON.stringify(geminiSettings(attempts), null, 2)}\n`)
  return {
    PATH: [dirname(process.execPath), cliPaths().bin, process.env.PATH ?? '/usr/bin:/bin'].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'a-key-for-rehearsals-only',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: 'a-key-for-rehearsals-only',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    GEMINI_CLI_NO_RELAUNCH: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
    NO_COLOR: '1',
    ...(attempts === undefined ? {} : { CLAUDE_CODE_MAX_RETRIES: String(attempts - 1) }),
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
  }
}

function geminiSettings(attempts: number | undefined): unknown {
  return {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      ...(attempts === undefined ? {} : { maxAttempts: attempts }),
    },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  }
}
