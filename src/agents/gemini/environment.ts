// The environment in which Gemini runs: an allow-list of the operator's variables and, in a sandbox, copies of its sign-in and the endpoints.
import { copyFile, readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SandboxView } from '../../platform/sandbox/bubblewrap-arguments.ts'
import { listGeminiEndpoints } from '../provider/endpoints.ts'
import { type CliEnvironment, enterCliSandbox } from '../provider/enter-cli-sandbox.ts'
import { COMMON_VARIABLES, selectVariables } from '../provider/environment.ts'
import type { AgentCall } from '../provider-contract.ts'

const MAX_BYTES = 1 << 20
/** The CLI ends with what nobody has read yet of its standard output, unless it waits with each write. */
const WRITE_AT_ONCE = 'data:text/javascript,process.stdout._handle?.setBlocking?.(true)'

const GEMINI = [
  ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL', 'GEMINI_CLI_HOME'],
  ...['GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_PROJECT_ID'],
  ...['GOOGLE_CLOUD_LOCATION', 'GOOGLE_CLOUD_ACCESS_TOKEN', 'GOOGLE_APPLICATION_CREDENTIALS', 'CODE_ASSIST_ENDPOINT'],
  ...[
    'GEMINI_API_KEY_AUTH_MECHANISM',
    'GEMINI_CLI_CUSTOM_HEADERS',
    'GEMINI_CLI_USE_COMPUTE_ADC',
    'GEMINI_FORCE_FILE_STORAGE',
  ],
  ...['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH'],
]

interface GeminiEnvironmentOptions {
  readonly tmpdir: string
  /** The folder of the CLI's compiled code. */
  readonly compiled?: string | undefined
}

/** `variables`: from the operator's own `.env` file. */
export async function enterGeminiEnvironment(
  call: AgentCall,
  {
    cwd,
    variables,
    ...options
  }: GeminiEnvironmentOptions & { readonly cwd: string; readonly variables: NodeJS.ProcessEnv },
): Promise<CliEnvironment> {
  const env = { ...variables, ...buildGeminiEnvironment(call.environment, options) }
  return await enterCliSandbox(call, { env, cwd }, async (_, { folder }) => ({
    // The challenger edits nothing, so it sees neither the fixer's tree nor the todo files.
    readable: [options.compiled, call.readableTree].filter((folder) => folder !== undefined),
    writable: [],
    bindMounts: await copyGeminiState(call.environment, folder),
    network: listGeminiEndpoints(env),
  }))
}

export function buildGeminiEnvironment(
  operator: NodeJS.ProcessEnv,
  options: GeminiEnvironmentOptions,
): NodeJS.ProcessEnv {
  return {
    ...selectVariables(operator, [...COMMON_VARIABLES, ...GEMINI], []),
    TMPDIR: options.tmpdir,
    ...(options.compiled === undefined ? {} : { NODE_COMPILE_CACHE: options.compiled }),
    NO_COLOR: '1',
    NODE_OPTIONS: `--import=${WRITE_AT_ONCE}`,
    // Otherwise the CLI starts itself again as a child, and the first of the two ignores TERM.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    // The folder is ours and holds our settings only. The CLI reads them only in a trusted folder.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
  }
}

/** The variables that a Gemini call gets from the operator's own `.env` file: only the CLI's own. */
export function selectGeminiVariables(values: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return selectVariables(values, GEMINI, [])
}

/**
 * Copies the files of the operator's own folder, without its subfolders. A sign-in with Google is renewed from what lasts (its refresh token),
 * so a renewed one need not be brought home.
 */
async function copyGeminiState(
  environment: NodeJS.ProcessEnv,
  state: string,
): Promise<NonNullable<SandboxView['bindMounts']>> {
  const at = join(environment.GEMINI_CLI_HOME || environment.HOME || homedir(), '.gemini')
  const names = await readdir(at, { withFileTypes: true }).catch(() => [])
  for (const each of names) {
    const file = join(at, each.name)
    // A file that is being replaced counts as missing.
    const size = (await stat(file).catch(() => undefined))?.size ?? Number.POSITIVE_INFINITY
    if (each.isFile() && size < MAX_BYTES) await copyFile(file, join(state, each.name)).catch(() => undefined)
  }
  return [{ at, is: state }]
}
