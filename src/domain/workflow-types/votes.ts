// The activities of two votes on a change, as workflow and activities exchange them: ids and numbers; votes with their words are artifacts.
import type { CallFailure } from '../session/failure.ts'
import type { ForgeSettings } from '../settings/forge-settings.ts'
import type { Ballot, Voter } from '../vote/ballot.ts'
import type { VoteSummary } from '../vote/vote-record.ts'
import type { VotesTarget } from '../vote/vote-subject.ts'
import type { HostedSession } from './session.ts'

export interface OpenedVote extends HostedSession {
  /** The commits that the two names stood for at the start. */
  readonly base: string
  readonly head: string
  /** Where the votes are posted at the end. */
  readonly post?: (VotesTarget & { readonly github: ForgeSettings }) | undefined
}

export interface CastVoteInput {
  readonly sessionId: string
  readonly stepId: string
  readonly voter: Voter
  readonly endsAt?: number | undefined
}

/** A ballot, or a failure that may pass, such as a limit. */
export interface CastVoteOutcome {
  readonly ballot?: Ballot | undefined
  readonly failure?: CallFailure | undefined
}

export interface CountVotesInput {
  readonly sessionId: string
  readonly ballots: readonly Ballot[]
}

export interface VoteActivities {
  openVote(input: { readonly sessionId: string }): Promise<OpenedVote>
  /** Runs beside that of the other voter. */
  castVote(input: CastVoteInput): Promise<CastVoteOutcome>
  countVotes(input: CountVotesInput): Promise<VoteSummary>
}
