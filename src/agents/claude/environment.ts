// The environment in which Claude runs: an allow-list of the operator's variables and, in a sandbox, the files and endpoints that it needs.
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { listClaudeEndpoints } from '../provider/endpoints.ts'
import { type CliEnvironment, enterCliSandbox } from '../provider/enter-cli-sandbox.ts'
import { COMMON_VARIABLES, isSwitchedOn, selectVariables } from '../provider/environment.ts'
import type { AgentCall } from '../provider-contract.ts'
import { prepareClaudeState } from './state-folder.ts'

/** Running at the same time in one call. */
const MAX_SUB_AGENTS = 20

const CLAUDE = [
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_CUSTOM_HEADERS', 'ANTHROPIC_BETAS'],
  ...['ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_OAUTH_TOKEN'],
  ...['CLAUDE_CODE_API_KEY_HELPER_TTL_MS', 'CLAUDE_CODE_CLIENT_CERT', 'CLAUDE_CODE_CLIENT_KEY'],
  ...[
    'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'CLAUDE_CODE_USE_FOUNDRY',
  ],
  ...['CLAUDE_CODE_SKIP_BEDROCK_AUTH', 'CLAUDE_CODE_SKIP_VERTEX_AUTH', 'CLAUDE_CODE_SKIP_FOUNDRY_AUTH'],
  // Timeouts and retries of the CLI: the operator knows their gateway.
  ...[
    'CLAUDE_CODE_MAX_RETRIES',
    'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
    'API_TIMEOUT_MS',
    'CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS',
  ],
  ...[
    'CLAUDE_ENABLE_STREAM_WATCHDOG',
    'BASH_DEFAULT_TIMEOUT_MS',
    'BASH_MAX_TIMEOUT_MS',
    'MAX_STRUCTURED_OUTPUT_RETRIES',
  ],
]
const CLAUDE_PREFIXES = ['ANTHROPIC_DEFAULT_', 'DISABLE_PROMPT_CACHING']

interface Cloud {
  readonly switch: string
  readonly names: readonly string[]
  readonly prefixes: readonly string[]
}

/** A cloud's variables are passed on only if the operator has switched Claude to that cloud. */
const CLOUDS: readonly Cloud[] = [
  { switch: 'CLAUDE_CODE_USE_BEDROCK', names: [], prefixes: ['AWS_', 'ANTHROPIC_BEDROCK_'] },
  {
    switch: 'CLAUDE_CODE_USE_VERTEX',
    names: ['CLOUD_ML_REGION', 'GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'GCLOUD_PROJECT'],
    prefixes: ['ANTHROPIC_VERTEX_', 'VERTEX_REGION_', 'CLOUDSDK_'],
  },
  { switch: 'CLAUDE_CODE_USE_FOUNDRY', names: [], prefixes: ['ANTHROPIC_FOUNDRY_', 'AZURE_'] },
]

/** `agentsFile`: visible in a sandbox as well. */
export async function enterClaudeEnvironment(
  call: AgentCall,
  { tmpdir, agentsFile }: { readonly tmpdir: string; readonly agentsFile: string },
): Promise<CliEnvironment> {
  const env = buildClaudeEnvironment(call.environment, { tmpdir, thinkingBudget: call.thinkingBudget })
  return await enterCliSandbox(call, { env, cwd: call.cwd }, async ({ conversations, cache, ...sandbox }, folders) => {
    const state = await prepareClaudeState(call.environment, { ...folders, conversations })
    if (cache !== undefined) await mkdir(cache, { recursive: true, mode: 0o700 })
    const caches = cache === undefined ? [] : [{ at: join(call.environment.HOME || homedir(), '.cache'), is: cache }]
    return {
      readable: [...sandbox.readable, agentsFile, ...(call.readableFolders ?? []), ...state.readable],
      writable: sandbox.writable,
      bindMounts: [...state.bindMounts, ...caches],
      network: listClaudeEndpoints({ ...env, ...state.variables }),
      beforeRelease: state.saveRenewedSignIn,
    }
  })
}

export function buildClaudeEnvironment(
  operator: NodeJS.ProcessEnv,
  options: { readonly tmpdir: string; readonly thinkingBudget?: number | undefined },
): NodeJS.ProcessEnv {
  const clouds = CLOUDS.filter((cloud) => isSwitchedOn(operator[cloud.switch]))
  const kept = selectVariables(
    operator,
    [...COMMON_VARIABLES, ...CLAUDE, ...clouds.flatMap(({ names }) => names)],
    [...CLAUDE_PREFIXES, ...clouds.flatMap(({ prefixes }) => prefixes)],
  )
  return {
    // Retries for about half a minute. The CLI's default is ten retries and three silent minutes.
    CLAUDE_CODE_MAX_RETRIES: '6',
    // Limit for a stalled stream, 300 s by default. A live one sends a sign every few seconds.
    CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '120000',
    ...kept,
    TMPDIR: options.tmpdir,
    NO_COLOR: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    // A sub-agent in the background would be cut off by an answer that does not wait for it.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    // The CLI refuses more sub-agents than this. Its default may change; our agents' instructions name this number.
    CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: `${MAX_SUB_AGENTS}`,
    CLAUDE_CODE_DISABLE_WORKFLOWS: '1',
    CLAUDE_CODE_DISABLE_CRON: '1',
    // "@/etc/passwd" in the text of a finding would attach that file to the conversation.
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    // Notes of earlier conversations, which the CLI keeps per folder, are no part of the prompt.
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    ...(options.thinkingBudget === undefined ? {} : { MAX_THINKING_TOKENS: String(options.thinkingBudget) }),
    // Without it the CLI refuses --dangerously-skip-permissions to root.
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
  }
}
