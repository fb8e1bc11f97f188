// The steps of a review, for a session that only reviews and for one that goes on to fix what was found.
import type { ReviewSummary } from '../../domain/review/review-record.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import { formatStepId } from '../../domain/session/step-id.ts'
import type { Ending } from '../../domain/workflow-types/index.ts'
import { truncateReason } from '../explain-ending.ts'
import { createPauseHold, createPeoplePorts, type RunningSession } from '../people/wait-for-decision.ts'
import { retryWhileLimited } from '../provider-backoff.ts'
import { createReviewActivities } from '../temporal/session-activities.ts'

export type ReviewOutcome =
  | { readonly kind: 'concluded'; readonly summary: ReviewSummary }
  | { readonly kind: 'failed'; readonly ending: Ending }

export async function runReview(at: RunningSession): Promise<ReviewOutcome> {
  const ports = createPeoplePorts(at)
  const { timeouts } = at.opened
  const activities = createPauseHold(at)(createReviewActivities(at))
  const reviewed = await retryWhileLimited(formatStepId({ kind: 'review' }), timeouts, ports, (stepId) =>
    activities.reviewChange({ stepId }),
  )
  if (reviewed.kind === 'stop') return { kind: 'failed', ending: { code: 'review_failed', ...reviewed.ending } }
  const { batches, failure } = reviewed.outcome
  if (failure) return { kind: 'failed', ending: toFailedReview(failure) }

  const notVerified: Record<string, string> = {}
  for (const [index, ids] of batches.entries()) {
    const stepId = formatStepId({ kind: 'verify_findings', batch: index + 1 })
    const verified = await retryWhileLimited(stepId, timeouts, ports, (tryId) =>
      activities.verifyFindings({ stepId: tryId, ids }),
    )
    // A finding that could not be verified is no less a finding.
    const detail = verified.kind === 'stop' ? verified.ending.detail : verified.outcome.failure?.detail
    for (const id of detail === undefined ? [] : ids) notVerified[id] = truncateReason(detail ?? '')
  }
  return { kind: 'concluded', summary: await activities.concludeReview({ notVerified }) }
}

/** The reviewers' failure is the review's: nothing is known of the change. */
function toFailedReview({ detail }: CallFailure): Ending {
  return { class: 'infrastructure', detail: truncateReason(detail), code: 'review_failed' }
}
