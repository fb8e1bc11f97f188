// Two votes on a change: what they are about, what each voter said, and what they add up to.
import { z } from 'zod'
import { describeSandbox, Sandbox } from '../../settings/sandbox-level.ts'
import { Ballot, describeMissingVote, VoteVerdict } from '../../vote/ballot.ts'
import { defineEvent, eventData } from './define-event.ts'
import { Texts } from './limit-lists.ts'

const STARTED = defineEvent(
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
)

const CAST = defineEvent('fix_vote_cast', eventData({ ballot: Ballot }), ({ ballot }) =>
  ballot.kind === 'vote' ? `${ballot.voter} votes ${ballot.vote}` : describeMissingVote(ballot),
)

const COUNTED = defineEvent(
  'fix_votes_counted',
  eventData({ verdict: VoteVerdict, mean: z.number().optional(), reasons: Texts, findings: z.number() }),
  ({ verdict, mean, reasons, findings }) =>
    [verdict, mean === undefined ? reasons.join('; ') : `mean ${mean}`, `${findings} finding(s)`].join(' · '),
)

export const VOTE_EVENTS = [STARTED, CAST, COUNTED] as const

export function fixVotesStarted(facts: Omit<z.infer<typeof STARTED.schema>['data'], 'total'>) {
  return STARTED.create('session/started', facts)
}

export function fixVoteCast(stepId: string, ballot: Ballot) {
  return CAST.create(`${stepId}/cast`, { ballot })
}

export function fixVotesCounted(facts: Omit<z.infer<typeof COUNTED.schema>['data'], 'total'>) {
  return COUNTED.create('votes/counted', facts)
}
