// What a repository may say about how it is fixed, as long as nobody has decided to trust its file: whoever can get a commit
// in must not be able to name a command, binary, endpoint, model, scope or threshold. So: an allow-list, and what is a
// limit may only be made tighter.
import type { Settings } from '../domain/settings.ts'

const ALLOWED = [
  'profile',
  'max_iterations',
  'limits.max_issues_per_cli_call',
  'limits.max_workload_points_per_batch',
  'limits.max_workload_points_per_one_call',
  'limits.default_effort',
  'limits.default_files_count',
  'git.branch_prefix',
]

/** Why a repository may not set this, undefined where it may. `defaults` is what would hold without it. */
export function repositoryProblem(path: string, value: unknown, defaults: Settings): string | undefined {
  if (!ALLOWED.includes(path)) {
    return `a repository may not set this, only ${ALLOWED.join(', ')}: put it into your own settings, or pass --set`
  }
  if (path === 'profile') return profileProblem(String(value), defaults)
  if (path === 'max_iterations' && value === 0) return 'a repository may not say that nothing is fixed: at least 1'
  const most = mostFor(path, defaults)
  if (most !== undefined && typeof value === 'number' && value > most) {
    return `a repository may only lower this: at most ${most}`
  }
  return undefined
}

/** Whoever can get a commit in must not rid their commits of the second opinion. */
function profileProblem(name: string, { profiles }: Settings): string | undefined {
  const open = Object.entries(profiles).flatMap(([each, { challenge }]) => (challenge ? [each] : []))
  return open.includes(name) ? undefined : `a repository may only choose one of ${open.join(', ')}`
}

function mostFor(path: string, { limits, max_iterations, profiles }: Settings): number | undefined {
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
