// Selects the variables of a CLI from an allow-list of the operator's. Tokens of other services stay out. Gap: a process of the same
// user can read the worker's own environment in /proc; only another user or a container stops that.
import { keepAbsoluteEntries } from '../../platform/processes/find-command.ts'

/** For every CLI. */
export const COMMON_VARIABLES = [
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

export function selectVariables(
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
