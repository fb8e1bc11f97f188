// What a session left undone, as it was stored when the session ended, and the issues that would be created from it. Who creates them on
// a forge takes the same list, and looks for each issue's key first.
import { type LeftoverIssue, type LeftoverRecord, renderLeftoverIssue } from '../domain/review-fix/leftover.ts'
import type { TrackerCounts } from '../domain/review-fix/tracker.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import { FixwrightError } from './errors.ts'

export interface SessionLeftovers {
  readonly session_id: string
  readonly counts: TrackerCounts
  readonly leftovers: readonly (LeftoverRecord & { readonly issue: LeftoverIssue })[]
}

export function listLeftovers({ session_id, result, status }: SessionRecord): SessionLeftovers {
  if (!result) {
    throw new FixwrightError('still_running', `session ${session_id} is ${status}: what it leaves is known at its end`)
  }
  if (!result.findings) {
    throw new FixwrightError(
      'no_result',
      `session ${session_id} keeps no leftovers: those of "review-fix" do, and of the profile review-fix`,
    )
  }
  const { leftovers, ...counts } = result.findings
  return {
    session_id,
    counts,
    leftovers: leftovers.map((each) => ({ ...each, issue: renderLeftoverIssue(session_id, each) })),
  }
}
