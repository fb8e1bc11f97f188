// How a session of two votes ends by what they add up to. Only an approval ends without a failure: whoever reads no more than the exit
// status never takes a missing verdict for a good one.
import type { CallFailure } from '../session/failure.ts'
import { truncateText } from '../text/truncate.ts'
import type { Ending } from '../workflow-types/session.ts'
import { APPROVAL_MEAN, type Ballot, type NoVoteReason, type Voter } from './ballot.ts'
import type { VoteSummary } from './vote-record.ts'

/** The history keeps it; event log and artifacts have the whole text. */
const MAX_DETAIL = 300

export function endOfVotes({ verdict, mean, reasons }: VoteSummary): Ending | undefined {
  switch (verdict) {
    case 'approved':
      return undefined
    case 'not_approved':
      return { class: 'verdict', detail: `not approved: the votes have a mean of ${mean}, below ${APPROVAL_MEAN}` }
    case 'no_verdict':
      return { class: 'infrastructure', detail: `no verdict: ${reasons.join('; ')}`, code: 'no_verdict' }
  }
}

/** For a failure that left a voter without a vote. */
export function toMissingBallot(voter: Voter, failure: CallFailure): Ballot {
  return { kind: 'none', voter, reason: toReason(failure), detail: truncateText(failure.detail, MAX_DETAIL) }
}

function toReason(failure: CallFailure): NoVoteReason {
  if (failure.class === 'no_usable_work') return failure.reason
  return failure.class === 'infrastructure' ? 'no_start' : failure.class
}
