// Plans the stages of a session according to its settings, and detects settings under which no fix could pass.
import type { Issue } from '../issue/issue.ts'
import { getProfile, isStrict, type Settings } from '../settings/schema.ts'
import { planStages, type Stage } from './plan.ts'

type PlannableIssue = Pick<Issue, 'issue_code' | 'file' | 'estimated_effort' | 'estimated_files_count'>

export function planSessionStages(settings: Settings, issues: readonly PlannableIssue[]): Stage[] {
  const { limits } = settings
  const { stage, calls } = getProfile(settings)
  const planned = issues.map(({ issue_code, file, estimated_effort, estimated_files_count }) => ({
    code: issue_code,
    file,
    effort: estimated_effort,
    files: estimated_files_count,
  }))
  return planStages(
    planned,
    { stage, calls },
    {
      maxIssuesPerCall: limits.max_issues_per_cli_call,
      maxWorkloadPoints: limits.max_workload_points_per_batch,
      maxWorkloadPointsPerOneCall: limits.max_workload_points_per_one_call,
      defaultEffort: limits.default_effort,
      defaultFiles: limits.default_files_count,
    },
  )
}

/** With each batch committed by itself and `strict` checks, a red check stays red for every batch but the one that fixes it. */
export function findStrictBatchesProblem(settings: Settings, issues: readonly PlannableIssue[]): string | undefined {
  if (!isStrict(settings) || settings.verification.commands.length === 0) return undefined
  const { length } = planSessionStages(settings, issues)
  if (length < 2) return undefined
  return `no fix passes but in a batch that makes every check green by itself: verification is strict, and each of the ${length} batches is committed by itself (the profiles verify and sequential commit them together)`
}
