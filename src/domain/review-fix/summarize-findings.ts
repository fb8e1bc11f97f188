// What became of all findings of a session: each is counted once, and what is not fixed leaves a record.
import type { ReviewSummary } from '../review/review-record.ts'
import type { IssueFixResult } from '../session/session.ts'
import { type FindingsEnd, type LeftFinding, toLeftover } from './leftover.ts'
import {
  block,
  concludeTracker,
  countTracked,
  type FindingEnd,
  startTracker,
  type TrackedFinding,
  type Tracker,
} from './tracker.ts'

interface EndedFindings {
  readonly issues: readonly (LeftFinding & { readonly issue_code: string })[]
  readonly results: readonly IssueFixResult[]
  /** What each attempt came to, as far as the session got. */
  readonly tracked: readonly TrackedFinding[]
  readonly outside: NonNullable<ReviewSummary['outside']>
  readonly maxAttempts: number
}

export function summarizeFindings({ issues, results, tracked, outside, maxAttempts }: EndedFindings): FindingsEnd {
  const known = new Map(tracked.map((each) => [each.id, each]))
  const ids = [...issues.map(({ issue_code }) => issue_code), ...outside.map(({ id }) => id)]
  const started = startTracker(ids, maxAttempts)
  const followed = { ...started, tracked: started.tracked.map((each) => known.get(each.id) ?? each) }
  let tracker: Tracker = followed
  for (const { id, file } of outside) tracker = block(tracker, id, `${file} is not in the repository`)
  const ends = new Map(results.map((result) => [result.issue_code, toEnd(result)]))
  const concluded = concludeTracker(tracker, (id) => ends.get(id) ?? { kind: 'left', reason: '' })
  const findings = new Map<string, LeftFinding>([
    ...issues.map((issue) => [issue.issue_code, issue] as const),
    ...outside.map(({ id, failure, ...rest }) => [id, { ...rest, description: failure }] as const),
  ])
  return {
    ...countTracked(concluded),
    leftovers: concluded.tracked.flatMap((each) => {
      const finding = findings.get(each.id)
      return (finding && toLeftover(each, finding)) ?? []
    }),
  }
}

/** Done before, or by somebody else, is as good as done now. */
function toEnd({ status, false_positive, settled, error }: IssueFixResult): FindingEnd {
  if (false_positive) return { kind: 'dismissed' }
  return status === 'completed' || settled ? { kind: 'committed' } : { kind: 'left', reason: error ?? '' }
}
