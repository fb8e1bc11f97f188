// The flags of the command line that are settings under a shorter name: which setting each of them is, and how what is typed becomes
// its value. Who typed one is answered in its name and its unit.

export interface ShortFlag {
  /** Of the setting. */
  readonly path: string
  readonly read?: (typed: string) => string
  /** To end a sentence that begins with "must be", where the setting's own words are not about what is typed. */
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
  '--temporal': { path: 'temporal.address', expects: 'an address, as host:port' },
  '--ignore-untrusted': { path: 'repository.untrusted' },
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

/** What is no number stays as it was, and is refused. */
function scaleNumber(typed: string, by: number): string {
  const number = Number(typed)
  return Number.isFinite(number) && typed.trim() !== '' ? String(Math.round(number * by)) : typed
}
