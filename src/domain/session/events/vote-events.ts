// Two votes on a change: what they are about, what each voter said, and what they add up to.
import { z } from 'zod'
import { describeSandbox, Sandbox } from '../../settings/sandbox-level.ts'
import { Ballot, describeMissingVote, VoteVerdict } from '../../vote/ballot.ts'
import { atStep, defineEvent, type EventFacts, eventData } from './define-event.ts'
import { Texts } from './limit-lists.ts'

export const fixVotesStarted = defineEvent(
  'fix_votes_started',
  eventData({
    repository: z.string(),
    base: z.string(),
    base_commit: z.string(),
    head: z.string(),
    head_commit: z.string(),
    files: z.number(),
    /** The sandbox around the voters. */
    sandbox: Sandbox,
    workflow_id: z.string().optional(),
    run_id: z.string().optional(),
    temporal_url: z.string().optional(),
  }),
  ({ base, head, head_commit, files, sandbox }) =>
    `two votes on ${head} (${head_commit.slice(0, 10)}) against ${base}: ${files} changed file(s); voters in ${describeSandbox(sandbox)}`,
  (create) => (facts: EventFacts<typeof create>) => create('session/started', facts),
)

export const fixVoteCast = defineEvent(
  'fix_vote_cast',
  eventData({ ballot: Ballot }),
  ({ ballot }) => (ballot.kind === 'vote' ? `${ballot.voter} votes ${ballot.vote}` : describeMissingVote(ballot)),
  atStep('cast'),
)

export const fixVotesCounted = defineEvent(
  'fix_votes_counted',
  eventData({ verdict: VoteVerdict, mean: z.number().optional(), reasons: Texts, findings: z.number() }),
  ({ verdict, mean, reasons, findings }) =>
    [verdict, mean === undefined ? reasons.join('; ') : `mean ${mean}`, `${findings} finding(s)`].join(' · '),
  (create) => (facts: EventFacts<typeof create>) => create('votes/counted', facts),
)
