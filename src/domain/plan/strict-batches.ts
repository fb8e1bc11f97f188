// Says what strict checks mean where some are red before any fix.
import { getProfile, isStrict, type Settings } from '../settings/schema.ts'
import { type PlannedIssue, planStages } from './plan.ts'

/** What `strict` means for fixes of a red base; undefined if it is off. */
export function explainStrictBase(settings: Settings, issues: readonly PlannedIssue[]): string | undefined {
  if (!isStrict(settings)) return undefined
  const problem = findStrictBatchesProblem(settings, issues)
  return (
    problem ??
    'nothing is committed unless the fixes make it green as well: verification is strict (without, only what they newly break counts)'
  )
}

/** With each batch committed by itself and `strict` checks, a red check stays red for every batch but the one that fixes it. */
export function findStrictBatchesProblem(settings: Settings, issues: readonly PlannedIssue[]): string | undefined {
  if (!isStrict(settings) || settings.verification.commands.length === 0) return undefined
  const { length } = planStages(issues, getProfile(settings), settings.limits)
  if (length < 2) return undefined
  return `no fix passes but in a batch that makes every check green by itself: verification is strict, and each of the ${length} batches is committed by itself (the profiles verify and sequential commit them together)`
}
