// A review as workflow and activities exchange it: ids and counts; findings and verdicts are artifacts.
import type { ReviewSummary } from '../review/review-record.ts'
import type { CallFailure } from '../session/failure.ts'
import type { WithDeadline } from './fix.ts'
import type { HostedSession } from './session.ts'

export interface OpenedReview extends HostedSession {
  readonly head: string
  readonly base: string
  readonly files: number
  readonly experts: readonly string[]
}

export interface ReviewChangeInput extends WithDeadline {
  readonly sessionId: string
  readonly stepId: string
}

export interface ReviewChangeOutcome {
  /** The findings that a verifier has to look at, by call. */
  readonly batches: readonly (readonly string[])[]
  readonly found: number
  readonly failure?: CallFailure | undefined
}

export interface VerifyFindingsInput extends WithDeadline {
  readonly sessionId: string
  readonly stepId: string
  readonly ids: readonly string[]
}

export interface VerifyFindingsOutcome {
  readonly failure?: CallFailure | undefined
}

export interface ConcludeReviewInput {
  readonly sessionId: string
  /** Why no verifier looked at a finding, by its id. */
  readonly notVerified: Readonly<Record<string, string>>
}

export interface ReviewActivities {
  openReview(input: { readonly sessionId: string }): Promise<OpenedReview>
  reviewChange(input: ReviewChangeInput): Promise<ReviewChangeOutcome>
  verifyFindings(input: VerifyFindingsInput): Promise<VerifyFindingsOutcome>
  concludeReview(input: ConcludeReviewInput): Promise<ReviewSummary>
}
