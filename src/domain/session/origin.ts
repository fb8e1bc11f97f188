// Where a session's work comes from, by its options: the base, what that was reviewed against, and the review.
import { z } from 'zod'
import type { SessionRecord } from './session.ts'

const ReviewBase = z.object({
  name: z.string(),
  /** The merge base of that branch and the fixes' base. */
  commit: z.string(),
})

const SessionOrigin = z.object({
  /** The commit or branch that the fixes start from, as the person calls it. */
  base_name: z.string().optional(),
  /** Absent if the fixes start from that branch itself. */
  against: ReviewBase.optional(),
  review: z.string().optional(),
})
export type SessionOrigin = z.infer<typeof SessionOrigin>

export function parseOrigin({ options }: Pick<SessionRecord, 'options'>): SessionOrigin {
  return SessionOrigin.parse(options)
}
