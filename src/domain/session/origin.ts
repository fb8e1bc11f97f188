// What a session's options say about where its work comes from: what it stands on, what that was reviewed against, and the review
// itself. Earlier versions said less; what can't be understood counts as not said.
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
  base_name: z.string().optional().catch(undefined),
  /** Absent where the fixes start from that branch itself. */
  against: ReviewBase.optional().catch(undefined),
  /** The artifact that holds the report of the review. */
  review: z.string().optional().catch(undefined),
})
export type SessionOrigin = z.infer<typeof SessionOrigin>

export function parseOrigin({ options }: Pick<SessionRecord, 'options'>): SessionOrigin {
  return SessionOrigin.parse(options)
}
