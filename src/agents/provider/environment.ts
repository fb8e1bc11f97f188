// What of the operator's environment a CLI gets: an allow-list, and nothing that happens to be set besides. Tokens of other
// services stay out; those of a cloud go in only where the operator has said that Claude is served from it.
// Gap: a process of the same user can read the worker's own environment in /proc; only another user or a container stops that.
import { keepAbsoluteEntries } from '../../platform/processes/find-command.ts'

/** At work at the same time in one call. */
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
  // How patient the CLI is: the operator knows their gateway.
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
    // About half a minute of asking again; its own default is ten times and three silent minutes.
    CLAUDE_CODE_MAX_RETRIES: '6',
    // A stream that has stopped: 300 s by default. A living one sends a sign every few seconds.
    CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS: '120000',
    ...kept,
    TMPDIR: options.tmpdir,
    NO_COLOR: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    // A sub-agent in the background is cut off with the answer that did not wait for it.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    // The CLI refuses one more than this; its own default may change, what our agents are told does not.
    CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: `${MAX_SUB_AGENTS}`,
    CLAUDE_CODE_DISABLE_WORKFLOWS: '1',
    CLAUDE_CODE_DISABLE_CRON: '1',
    // "@/etc/passwd" in the text of a finding would attach that file to the conversation.
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    // Notes of earlier conversations, kept by folder, are no part of the prompt.
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
    // It starts itself again as a child otherwise, and the first of the two ignores TERM.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    // The folder is ours and holds our settings only; without trust the CLI does not read them.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
  }
}

/** What of the file `.env` in the operator's own home a Gemini call gets: the CLI's own variables and nothing else. */
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
    // What it starts by name while it stands in a repository, its own interpreter for one, is no program of that.
    const taken = name === 'PATH' ? keepAbsoluteEntries(value) : value
    if (wanted && taken !== undefined) kept[name] = taken
  }
  return kept
}

export function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())
}
