// A review and the fixing of what it confirmed, as one workflow: the review comes before the session opens its branch.
import type { JoinedSummary, SessionSummary } from '../../domain/workflow-types/index.ts'
import { runFixSession } from '../fix-session.ts'

/** Anybody may start it with anything; the input should be a stored session or an order. */
export async function reviewFixSession(input: unknown): Promise<SessionSummary | JoinedSummary> {
  return await runFixSession(input, { reviewsFirst: true })
}
