// Decides which settings a repository's file may set: tighter ones always, the project's checks and scope once the operator trusts
// that very file, and never ours: commands, endpoints, models, money, who is asked, which proof is demanded.
import type { Settings } from '../../domain/settings/schema.ts'

/** Settings that anybody may set, as long as the value is no looser than the one in effect without it. */
export const TIGHTENING_SETTINGS = [
  'profile',
  'max_iterations',
  'limits.max_issues_per_cli_call',
  'limits.max_workload_points_per_batch',
  'limits.max_workload_points_per_one_call',
  'limits.default_effort',
  'limits.default_files_count',
  'git.branch_prefix',
]

/** The values are the operator's, so their names are, too. */
const OPERATOR_ONLY = ['verification.environment']

/** A name that ends in a dot stands for all settings below it. */
const TRUSTED_ALLOWED = [...TIGHTENING_SETTINGS, 'git.naming', 'verification.', 'scope.']

export type PolicyDecision =
  | { readonly kind: 'counts'; readonly value: unknown }
  /** Only from a file that the operator has trusted. */
  | { readonly kind: 'needs_trust' }
  | { readonly kind: 'never'; readonly why: string }

/** Decides one setting of a repository's file. `defaults`: the settings without the file. */
export function repositoryPolicy(
  path: string,
  value: unknown,
  { defaults, isTrusted }: { readonly defaults: Settings; readonly isTrusted: boolean },
): PolicyDecision {
  const isAllowed = TRUSTED_ALLOWED.some((each) => each === path || (each.endsWith('.') && path.startsWith(each)))
  if (!isAllowed || OPERATOR_ONLY.includes(path)) {
    const may = TRUSTED_ALLOWED.map((each) => (each.endsWith('.') ? `${each}*` : each)).join(', ')
    const why = `a repository may not set this, only ${may} (without ${OPERATOR_ONLY.join(', ')}): put it into your own settings, or pass --set`
    return { kind: 'never', why }
  }
  if (path === 'max_iterations' && value === 0) {
    return { kind: 'never', why: 'a repository may not say that nothing is fixed: at least 1' }
  }
  if (isTrusted) return { kind: 'counts', value: mergeProtectedPaths(path, value, defaults) }
  const isHarmless = TIGHTENING_SETTINGS.includes(path) && !isLooserThanDefault(path, value, defaults)
  return isHarmless ? { kind: 'counts', value } : { kind: 'needs_trust' }
}

/** A repository may protect more paths, not fewer: the protected paths also keep an agent from changing this file. */
function mergeProtectedPaths(path: string, value: unknown, { scope }: Settings): unknown {
  const name = (['protected', 'protected_unless_about'] as const).find((list) => path === `scope.${list}`)
  return name !== undefined && Array.isArray(value) ? [...new Set([...scope[name], ...value])] : value
}

export function isLooserThanDefault(path: string, value: unknown, defaults: Settings): boolean {
  if (path === 'profile') return !hasChallengingProfile(String(value), defaults)
  const most = maxAllowedFor(path, defaults)
  return most !== undefined && typeof value === 'number' && value > most
}

/** The author of a commit must not be able to switch off the challenge of its fixes. */
function hasChallengingProfile(name: string, { profiles }: Settings): boolean {
  return Object.hasOwn(profiles, name) && profiles[name]?.challenge === true
}

function maxAllowedFor(path: string, { limits, max_iterations, profiles }: Settings): number | undefined {
  switch (path) {
    case 'max_iterations':
      // The limit must not exceed that of any profile, as the operator may choose any.
      return Math.min(max_iterations ?? 10, ...Object.values(profiles).map((profile) => profile.max_iterations))
    case 'limits.max_issues_per_cli_call':
      return limits.max_issues_per_cli_call
    case 'limits.max_workload_points_per_batch':
      return limits.max_workload_points_per_batch
    case 'limits.max_workload_points_per_one_call':
      return limits.max_workload_points_per_one_call
    default:
      return undefined
  }
}
