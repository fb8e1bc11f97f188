// Builds the environment of a CLI from an allow-list of the operator's. Tokens of other services stay out. Gap: a process of the same
// user can read the worker's own environment in /proc; only another user or a container stops that.
import { keepAbsoluteEntries } from '../../platform/processes/find-command.ts'

/** Running at the same time in one call. */
const MAX_SUB_AGENTS = 20

const COMMON = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'LANG', 'LANGUAGE'],
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...[
    'NODE_EXTRA_CA_CERTS',
    'NODE_USE_SYSTEM_CA',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'CURL_CA_BUNDLE',
    'REQUESTS_CA_BUNDLE',
  ],
]

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

export function buildClaudeEnvironment(
  operator: NodeJS.ProcessEnv,
  options: { readonly tmpdir: string; readonly thinkingBudget?: number | undefined },
): NodeJS.ProcessEnv {
  const clouds = CLOUDS.filter((cloud) => isSwitchedOn(operator[cloud.switch]))
  const kept = selectVariables(
    operator,
    [...COMMON, ...CLAUDE, ...clouds.flatMap(({ names }) => names)],
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

export function buildGeminiEnvironment(
  operator: NodeJS.ProcessEnv,
  options: { readonly tmpdir: string; readonly compiled?: string | undefined },
): NodeJS.ProcessEnv {
  return {
    ...selectVariables(operator, [...COMMON, ...GEMINI], []),
    TMPDIR: options.tmpdir,
    ...(options.compiled === undefined ? {} : { NODE_COMPILE_CACHE: options.compiled }),
    NO_COLOR: '1',
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

function selectVariables(
  from: NodeJS.ProcessEnv,
  names: readonly string[],
  prefixes: readonly string[],
): NodeJS.ProcessEnv {
  const kept: NodeJS.ProcessEnv = {}
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined || value === '') continue
    const wanted = names.includes(name) || name.startsWith('LC_') || prefixes.some((prefix) => name.startsWith(prefix))
    // The CLI starts programs by name, its own interpreter among them, while it stands in a repository. They must not come from there.
    const taken = name === 'PATH' ? keepAbsoluteEntries(value) : value
    if (wanted && taken !== undefined) kept[name] = taken
  }
  return kept
}

export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())
}
