// What a session's options say about where its work comes from: what it stands on, what that was reviewed against, and the review
// itself.
import { z } from 'zod'
import type { SessionRecord } from './session.ts'

const ReviewBase = z.object({
  /** The branch, as the person calls it. */
  name: z.string(),
  /** Where the two parted. */
  commit: z.string(),
})

const SessionOrigin = z.object({
  /** What the fixes start from, as the person calls it. */
  base_name: z.string().optional(),
  /** Absent where the fixes start from that branch itself. */
  against: ReviewBase.optional(),
  /** The artifact that holds the report of the review. */
  review: z.string().optional(),
})
export type SessionOrigin = z.infer<typeof SessionOrigin>

export function parseOrigin({ options }: Pick<SessionRecord, 'options'>): SessionOrigin {
  return SessionOrigin.parse(options)
}
