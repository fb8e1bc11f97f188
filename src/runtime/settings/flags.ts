// Short flags of the command line and their settings. Error messages use the flag's own name and unit.

export interface ShortFlag {
  readonly path: string
  readonly read?: (typed: string) => string
  /** Completes "must be …", if the setting's own description does not fit the typed text. */
  readonly expects?: string
}

export const SHORT_FLAGS: Readonly<Record<string, ShortFlag>> = {
  '--profile': { path: 'profile' },
  '--clarify': { path: 'people.clarify' },
  '--approve-plan': { path: 'people.approve_plan' },
  '--workspace': { path: 'scope.workspace_path' },
  '--allow': { path: 'scope.allowed_extra_paths' },
  '--verify': { path: 'verification.commands' },
  '--setup': { path: 'verification.setup' },
  '--strict': { path: 'verification.strict' },
  '--max-iterations': { path: 'max_iterations' },
  '--max-fix-cycles': { path: 'max_iterations' },
  '--lanes': { path: 'limits.lanes' },
  '--behind-proxy': { path: 'server.behind_proxy' },
  '--temporal': { path: 'temporal.address', expects: 'an address, as host:port' },
  '--allow-test-changes': { path: 'verification.test_changes' },
  '--ignore-broken-checks': { path: 'verification.ignore_broken' },
  '--ignore-untrusted': { path: 'repository.untrusted' },
  '--experts': { path: 'review.experts' },
  '--max-cost': { path: 'budgets.session_usd', expects: 'a number of dollars above 0' },
  '--max-tokens': {
    path: 'budgets.session_tokens',
    read: parseWithUnit,
    expects: 'a whole number of tokens above 0, also as 500k or 2M',
  },
  '--max-minutes': {
    path: 'budgets.session_seconds',
    read: (typed) => scaleNumber(typed, 60),
    expects: 'a number of minutes above 0, and of no more than a year',
  },
}

/** `2M`, `500k`, `120000`. */
function parseWithUnit(typed: string): string {
  const [, number = '', unit = ''] = /^([\d.]+)\s*([kM])$/i.exec(typed.trim()) ?? []
  if (unit === '') return typed
  return scaleNumber(number, unit.toLowerCase() === 'k' ? 1_000 : 1_000_000)
}

/** Returns other text unchanged; the schema then refuses it. */
function scaleNumber(typed: string, by: number): string {
  const number = Number(typed)
  return Number.isFinite(number) && typed.trim() !== '' ? String(Math.round(number * by)) : typed
}
