// What a repository may say about how it is fixed. Some of it anybody may say who gets a commit in, because it only makes things
// tighter. What the project's own people know best (its checks, its scope) counts once the operator has seen and trusted that very
// file. The rest is never the repository's: commands and endpoints of ours, models, money, who is asked, what proof is demanded.
import type { Settings } from '../../domain/settings/schema.ts'

/** What anybody may say, as long as it is no looser than what holds without it. */
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

/** A name that ends in a dot stands for all below it. */
const TRUSTED_ALLOWED = [...TIGHTENING_SETTINGS, 'git.naming', 'verification.', 'scope.']

export type PolicyDecision =
  | { readonly kind: 'counts'; readonly value: unknown }
  /** Only from a file that the operator has trusted. */
  | { readonly kind: 'needs_trust' }
  | { readonly kind: 'never'; readonly why: string }

/** What a repository's word on a setting is worth. `defaults` is what would hold without it. */
export function repositoryPolicy(
  path: string,
  value: unknown,
  { defaults, isTrusted }: { readonly defaults: Settings; readonly isTrusted: boolean },
): PolicyDecision {
  if (!TRUSTED_ALLOWED.some((each) => each === path || (each.endsWith('.') && path.startsWith(each)))) {
    const may = TRUSTED_ALLOWED.map((each) => (each.endsWith('.') ? `${each}*` : each)).join(', ')
    const why = `a repository may not set this, only ${may}: put it into your own settings, or pass --set`
    return { kind: 'never', why }
  }
  if (path === 'max_iterations' && value === 0) {
    return { kind: 'never', why: 'a repository may not say that nothing is fixed: at least 1' }
  }
  if (isTrusted) return { kind: 'counts', value: mergeProtectedPaths(path, value, defaults) }
  const isHarmless = TIGHTENING_SETTINGS.includes(path) && !isLooserThanDefault(path, value, defaults)
  return isHarmless ? { kind: 'counts', value } : { kind: 'needs_trust' }
}

/** A repository may protect more of itself, not less: what is protected is also what keeps this file from an agent's hands. */
function mergeProtectedPaths(path: string, value: unknown, { scope }: Settings): unknown {
  const name = (['protected', 'protected_unless_about'] as const).find((list) => path === `scope.${list}`)
  return name !== undefined && Array.isArray(value) ? [...new Set([...scope[name], ...value])] : value
}

export function isLooserThanDefault(path: string, value: unknown, defaults: Settings): boolean {
  if (path === 'profile') return !hasChallengingProfile(String(value), defaults)
  const most = maxAllowedFor(path, defaults)
  return most !== undefined && typeof value === 'number' && value > most
}

/** Whoever can get a commit in must not rid their commits of the second opinion. */
function hasChallengingProfile(name: string, { profiles }: Settings): boolean {
  return Object.hasOwn(profiles, name) && profiles[name]?.challenge === true
}

function maxAllowedFor(path: string, { limits, max_iterations, profiles }: Settings): number | undefined {
  switch (path) {
    case 'max_iterations':
      // Whichever profile the operator ends up with, this must not be more than it had.
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
