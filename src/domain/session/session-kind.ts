// The kinds of a session. Each has a workflow type of its own; storing, listing, watching, messages and closing are the same for all.
import { z } from 'zod'
import type { ReviewSummary } from '../review/review-record.ts'
import type { VoteSummary } from '../vote/vote-record.ts'

export const SessionKind = z.enum(['fix', 'review', 'review-fix', 'votes'])
export type SessionKind = z.infer<typeof SessionKind>

interface SessionFigures {
  readonly kind: SessionKind
  readonly counts: Readonly<Record<'requested' | 'fixed', number>>
  /** Of a review that has ended. */
  readonly review?: ReviewSummary | null | undefined
  /** Of two votes that are counted. */
  readonly votes?: VoteSummary | null | undefined
}

/** What a session has achieved, in a few words for a column. */
export function formatAchievement({ kind, counts, review, votes }: SessionFigures): string {
  if (kind === 'fix' || kind === 'review-fix') return `${counts.fixed}/${counts.requested}`
  if (kind === 'votes') return votes?.verdict.replace('_', ' ') ?? '–'
  return review ? `${review.confirmed} found` : '–'
}
