// What a fixer reports about the issues that it was given. A report is a claim, whatever it says.
import type { FixClaim } from '../stage/reply-schemas.ts'

const FROM_BEST_TO_WORST: readonly FixClaim['status'][] = [
  'fixed',
  'false_positive',
  'skipped',
  'deferred',
  'failed',
  'blocked',
]

/** Of two reports about one issue the worse one counts; of two alike, the later one. */
export function chooseWorseReport(one: FixClaim, other: FixClaim): FixClaim {
  return rank(other) >= rank(one) ? other : one
}

export interface FilteredReports {
  /** Those about issues that were asked about. */
  readonly claims: readonly FixClaim[]
  /** What did not fit, in the order of the reports. */
  readonly remarks: readonly string[]
}

/** `known`: the issues of the session. Reports about others, or about those of another call, change nothing. */
export function filterReports(
  asked: readonly string[],
  reports: readonly FixClaim[],
  known: readonly string[],
): FilteredReports {
  const isAsked = ({ issue_code }: FixClaim): boolean => asked.includes(issue_code)
  const remarks = reports
    .filter((report) => !isAsked(report))
    .map(({ issue_code: code }) => {
      const what = known.includes(code) ? 'which this call was not about' : 'which is no issue of this session'
      return `an outcome was reported for ${code}, ${what}`
    })
  return { claims: reports.filter(isAsked), remarks }
}

function rank({ status }: FixClaim): number {
  return FROM_BEST_TO_WORST.indexOf(status)
}
