// A ballot is what one voter of the roster has left behind: a vote, or the reason why there is none. Which ballots count, and to what they
// add up, is decided here alone: no vote that is missing, twisted or of the wrong vendor ever turns a verdict green.
import { z } from 'zod'

/** One voter of each vendor. A verdict needs them all, whoever has answered. */
export const VOTERS = ['claude', 'gemini'] as const
export const Voter = z.enum(VOTERS)
export type Voter = z.infer<typeof Voter>

/** Two votes with this mean, or a higher one, approve. */
export const APPROVAL_MEAN = 80

/** Why a voter has no vote. The text is for people, after the voter's name. */
export const NO_VOTE_REASONS = {
  no_start: 'could not be started',
  crash: 'crashed',
  limit: 'stayed at its limit for too long',
  access: 'was refused by its provider',
  billing: 'has an account without credit',
  budget: 'was stopped by a budget',
  timeout: 'took too long',
  cut_off: 'ended while a sub-agent was still at work',
  empty: 'answered nothing',
  unreadable: 'answered without a vote that can be read',
  template: 'repeated the form of the answer instead of filling it in',
  wrong_head: 'voted on another commit',
  changed_files: 'changed what it was to read',
  incomplete: 'did not say of every changed file whether it was reviewed',
  contradictory: 'approves beside a critical finding of its own',
} as const
export const NoVoteReason = z.enum(Object.keys(NO_VOTE_REASONS) as [keyof typeof NO_VOTE_REASONS])
export type NoVoteReason = z.infer<typeof NoVoteReason>

export const Ballot = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('vote'),
    voter: Voter,
    /** Of the model that has answered, which need not be that of the CLI. */
    vendor: z.string(),
    model: z.string(),
    vote: z.number().min(0).max(100),
  }),
  z.object({ kind: z.literal('none'), voter: Voter, reason: NoVoteReason, detail: z.string() }),
])
export type Ballot = Readonly<z.infer<typeof Ballot>>

export const VoteVerdict = z.enum(['approved', 'not_approved', 'no_verdict'])
export type VoteVerdict = z.infer<typeof VoteVerdict>

export interface VoteCount {
  readonly verdict: VoteVerdict
  /** Absent without a verdict. */
  readonly mean?: number | undefined
  /** Why there is no verdict; empty if there is one. */
  readonly reasons: readonly string[]
}

/** A reviewed commit that its name does not lead to any more. */
export interface MovedHead {
  readonly name: string
  readonly to: string | undefined
}

export function countBallots(ballots: readonly Ballot[], moved?: MovedHead): VoteCount {
  const seats = VOTERS.flatMap((voter) => findSeatProblem(voter, ballots))
  const reasons = [
    ...(seats.length > 0 ? seats : findVendorProblem(ballots)),
    ...(moved ? [describeMovedHead(moved)] : []),
  ]
  if (reasons.length > 0) return { verdict: 'no_verdict', reasons }
  const votes = ballots.flatMap((ballot) => (ballot.kind === 'vote' ? [ballot.vote] : []))
  const mean = votes.reduce((sum, vote) => sum + vote, 0) / VOTERS.length
  return { verdict: mean >= APPROVAL_MEAN ? 'approved' : 'not_approved', mean, reasons }
}

export function describeMissingVote({ voter, reason, detail }: Extract<Ballot, { kind: 'none' }>): string {
  return `${voter} ${NO_VOTE_REASONS[reason]}: ${detail}`
}

function findSeatProblem(voter: Voter, ballots: readonly Ballot[]): string[] {
  const [ballot, ...more] = ballots.filter((each) => each.voter === voter)
  if (ballot === undefined) return [`${voter} has not voted`]
  if (more.length > 0) return [`${voter} has voted ${more.length + 1} times`]
  return ballot.kind === 'vote' ? [] : [describeMissingVote(ballot)]
}

function findVendorProblem(ballots: readonly Ballot[]): string[] {
  const votes = ballots.flatMap((ballot) => (ballot.kind === 'vote' ? [ballot] : []))
  const [one, other] = votes
  if (!one || !other || new Set(votes.map(({ vendor }) => vendor)).size === votes.length) return []
  return [`both votes come from one vendor, ${one.vendor}: ${one.model} and ${other.model}`]
}

function describeMovedHead({ name, to }: MovedHead): string {
  return to === undefined ? `${name} is gone since the review began` : `${name} has moved to ${to.slice(0, 10)} since`
}
