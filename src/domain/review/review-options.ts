// What a review was started with, by the options of its session.
import { z } from 'zod'
import type { SessionRecord } from '../session/session.ts'

const ReviewOptions = z.object({
  /** What the change is compared with, as the person calls it, and the commit where the two part. */
  against: z.object({ name: z.string(), commit: z.string() }),
  /** The specification, a folder or file of the reviewed commit. */
  spec: z.string().optional(),
  /** Whether confirmed findings become issues. */
  import: z.boolean().default(false),
})
export type ReviewOptions = z.infer<typeof ReviewOptions>

/** The task of a review's findings, unless its start named one. */
export function toReviewTask(sessionId: string): string {
  return `review-${sessionId}`
}

export function parseReviewOptions({ options }: Pick<SessionRecord, 'options'>): ReviewOptions {
  return ReviewOptions.parse(options)
}
