// Two votes on a change as a workflow: open, let both voters vote at the same time, count, close. It ends with a verdict, or says why there is
// none: whatever happens to a voter becomes a ballot without a vote.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { ActivityFailure, CancellationScope, isCancellation, setCurrentDetails, startChild } from '@temporalio/workflow'
import { formatStepId } from '../domain/session/step-id.ts'
import { renderMarkdownTable } from '../domain/text/markdown-table.ts'
import { type Ballot, describeMissingVote, VOTERS, type Voter } from '../domain/vote/ballot.ts'
import { endOfVotes, toMissingBallot } from '../domain/vote/vote-ending.ts'
import type { VoteSummary } from '../domain/vote/vote-record.ts'
import type {
  CastVoteOutcome,
  JoinedSummary,
  OpenedVote,
  PostVotesInput,
  SessionSummary,
} from '../domain/workflow-types/index.ts'
import { FORGE_WORKFLOWS, toPostVotesId } from '../domain/workflow-types/temporal-names.ts'
import { describeFailure } from './explain-ending.ts'
import { createPauseHold, createPeoplePorts, type RunningSession } from './people/wait-for-decision.ts'
import { retryWhileLimited } from './provider-backoff.ts'
import { createSessionFrame } from './session-frame.ts'
import { proxyHomeActivities, proxyHostActivities } from './temporal/session-activities.ts'
import type { MutableView } from './temporal/show-session-details.ts'
import { upsertKnownAttributes } from './temporal/upsert-search-attributes.ts'

/** Anybody may start it with anything; the input should be a stored session or an order. */
export async function voteSession(input: unknown): Promise<SessionSummary | JoinedSummary> {
  const ballots = new Map<Voter, Ballot>()
  let opened: OpenedVote | undefined
  let votes: VoteSummary | undefined
  const frame = createSessionFrame(input, {
    hosted: () => opened,
    view: (messages) => ({ stages: 1, open: messages.dialogue().open, answered: [], outcomes: {}, commits: [] }),
    showDetails: (_, shown) => setCurrentDetails(describeVotes(shown, ballots, votes)),
  })
  const answered = await frame.receive()
  if (answered) return answered
  const { sessionId, homeQueue, messages, time, show } = frame
  const ending = await frame.run(async () => {
    opened = await proxyHomeActivities(homeQueue, `open ${sessionId}`).openVote({ sessionId })
    const at: RunningSession = { sessionId, opened, messages, time, show }
    upsertKnownAttributes(opened.attributes, { FixStatus: 'generating' })
    show({ phase: 'voting' })
    const hold = createPauseHold(at)
    await Promise.all(VOTERS.map(async (voter) => ballots.set(voter, await askVoter(at, voter, hold))))
    show({ phase: 'counting' })
    const counting = proxyHostActivities(opened, 'git', 'count the votes')
    votes = await counting.countVotes({ sessionId, ballots: [...ballots.values()] })
    return endOfVotes(votes)
  })
  return await CancellationScope.nonCancellable(async () => {
    const summary = await frame.close(ending, {
      record: { outcomes: {}, votes },
      afterCutWait: { FixAwaiting: null },
      attributes: votes?.mean === undefined ? {} : { FixScore: Math.round(votes.mean) },
    })
    if (opened?.post && ending?.class !== 'cancelled') await startPosting(opened, opened.post)
    return summary
  })

  async function askVoter(at: RunningSession, voter: Voter, hold: ReturnType<typeof createPauseHold>): Promise<Ballot> {
    const { castVote } = hold({
      castVote: (step: { readonly stepId: string; readonly endsAt?: number }): Promise<CastVoteOutcome> =>
        proxyHostActivities(at.opened, 'talk', `vote · ${voter}`).castVote({ sessionId, voter, ...step }),
    })
    try {
      const asked = await retryWhileLimited<CastVoteOutcome>(
        formatStepId({ kind: 'vote', voter }),
        at.opened.timeouts,
        createPeoplePorts(at),
        (stepId) => {
          const endsAt = time.endsAt()
          return castVote({ stepId, ...(endsAt === undefined ? {} : { endsAt }) })
        },
      )
      const { ballot, failure } = asked.outcome
      if (ballot) return ballot
      const detail = asked.kind === 'stop' ? asked.ending.detail : (failure?.detail ?? '')
      return toMissingBallot(voter, { ...(failure ?? { class: 'infrastructure' }), detail })
    } catch (error) {
      if (!(error instanceof ActivityFailure) || isCancellation(error) || frame.isCancelled()) throw error
      return toMissingBallot(voter, { class: 'infrastructure', detail: describeFailure(error) })
    }
  }

  /** It outlives this workflow, and whoever waits for the votes. */
  async function startPosting(at: OpenedVote, { github, ...target }: NonNullable<OpenedVote['post']>): Promise<void> {
    const reasons = [ending?.detail ?? 'the votes were not counted']
    const counted = votes ?? { verdict: 'no_verdict', reasons, ballots: [...ballots.values()], head: at.head }
    const input: PostVotesInput = { sessionId, homeQueue: homeQueue ?? at.queue, github, ...target, votes: counted }
    try {
      await startChild(FORGE_WORKFLOWS.votes, {
        ...{ workflowId: toPostVotesId(sessionId), args: [input], workflowTaskTimeout: '3s' },
        parentClosePolicy: 'ABANDON',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      })
    } catch (error) {
      // A command may post them already, with the same input.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
    }
  }
}

function describeVotes(
  { phase, waiting, trouble }: MutableView,
  ballots: ReadonlyMap<Voter, Ballot>,
  votes: VoteSummary | undefined,
): string {
  const rows = VOTERS.map((voter) => {
    const ballot = ballots.get(voter)
    if (!ballot) return [voter, 'in work or to come']
    return [voter, ballot.kind === 'vote' ? ballot.vote : describeMissingVote(ballot)]
  })
  return [
    `**${phase}**`,
    ...(votes ? [`**${votes.verdict}**${votes.mean === undefined ? '' : `, mean ${votes.mean}`}`] : []),
    ...(waiting ? [`Waits for ${waiting.for}`] : []),
    ...(trouble === undefined ? [] : [`**Trouble**: ${trouble}`]),
    '',
    renderMarkdownTable(['voter', 'vote'], rows),
  ].join('\n')
}
