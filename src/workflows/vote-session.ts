// Two votes on a change as a workflow: open, let both voters vote at the same time, count, close. It ends with a verdict, or says why there is
// none: whatever happens to a voter becomes a ballot without a vote.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import {
  ActivityFailure,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
  startChild,
} from '@temporalio/workflow'
import { formatStepId } from '../domain/session/step-id.ts'
import { type Ballot, describeMissingVote, VOTERS, type Voter } from '../domain/vote/ballot.ts'
import { endOfVotes, toMissingBallot } from '../domain/vote/vote-ending.ts'
import type { VoteSummary } from '../domain/vote/vote-record.ts'
import type {
  CastVoteOutcome,
  Ending,
  JoinedSummary,
  OpenedVote,
  PostVotesInput,
  SessionSummary,
  SessionView,
} from '../domain/workflow-types/index.ts'
import {
  FORGE_WORKFLOWS,
  SESSION_QUERY,
  TROUBLE_SIGNAL,
  toPostVotesId,
} from '../domain/workflow-types/temporal-names.ts'
import { describeFailure, explainEnding, truncateReason } from './explain-ending.ts'
import { registerMessageHandlers } from './people/message-handlers.ts'
import { createSessionClock } from './people/session-clock.ts'
import { createPauseHold, createPeoplePorts, type RunningSession } from './people/wait-for-decision.ts'
import { retryWhileLimited } from './provider-backoff.ts'
import { receiveOrder, toStoredSession } from './receive-order.ts'
import { type MutableView, upsertKnownAttributes } from './temporal/search-attributes-and-details.ts'
import { proxyClosingActivities, proxyHomeActivities, proxyHostActivities } from './temporal/session-activities.ts'

/** Anybody may start it with anything; the input should be a stored session or an order. */
export async function voteSession(input: unknown): Promise<SessionSummary | JoinedSummary> {
  const stored = toStoredSession(input)
  let sessionId = stored?.sessionId ?? ''
  let homeQueue = stored?.homeQueue
  const shown: MutableView = { phase: 'opening', stage: 1 }
  const ballots = new Map<Voter, Ballot>()
  const work = new CancellationScope({ cancellable: true })
  let opened: OpenedVote | undefined
  const messages = registerMessageHandlers(undefined, {
    write: async (unwritten) => {
      await condition(() => sessionId !== '')
      await proxyHomeActivities(homeQueue, 'write down what was said').recordMessages({
        sessionId,
        messages: unwritten,
      })
    },
    onCancel: () => work.cancel(),
    senderKey: () => opened?.senderKey,
    fourEyes: () => undefined,
  })
  let votes: VoteSummary | undefined
  const time = createSessionClock(() => opened?.endsAt)
  const view = (): SessionView => ({
    sessionId,
    phase: shown.phase,
    stage: 1,
    stages: 1,
    waiting: shown.waiting,
    open: messages.dialogue().open,
    answered: [],
    outcomes: {},
    commits: [],
  })
  setHandler(defineQuery<SessionView>(SESSION_QUERY), view)
  const show = (change: Partial<MutableView>): void => {
    Object.assign(shown, { trouble: undefined }, change)
    setCurrentDetails(describeVotes(shown, ballots, votes))
  }
  setHandler(defineSignal<[unknown]>(TROUBLE_SIGNAL), (text) => show({ trouble: truncateReason(String(text)) }))

  if (!stored) {
    const received = await receiveOrder(input, show)
    if (received.kind === 'answered') return received.summary
    ;({ sessionId, homeQueue } = received)
  }
  let ending: Ending | undefined
  try {
    await work.run(async () => {
      opened = await proxyHomeActivities(homeQueue, `open ${sessionId}`).openVote({ sessionId })
      const at: RunningSession = { sessionId, opened, messages, time, show }
      upsertKnownAttributes(opened.attributes, { FixStatus: 'generating' })
      show({ phase: 'voting' })
      const hold = createPauseHold(at)
      await Promise.all(VOTERS.map(async (voter) => ballots.set(voter, await askVoter(at, voter, hold))))
      show({ phase: 'counting' })
      const counting = proxyHostActivities(opened, 'git', 'count the votes')
      votes = await counting.countVotes({ sessionId, ballots: [...ballots.values()] })
      ending = endOfVotes(votes)
    })
  } catch (error) {
    ending = explainEnding(error, work, messages.cancelled())
  }
  return await CancellationScope.nonCancellable(close)

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
      if (!(error instanceof ActivityFailure) || isCancellation(error) || work.consideredCancelled) throw error
      return toMissingBallot(voter, { class: 'infrastructure', detail: describeFailure(error) })
    }
  }

  async function close(): Promise<SessionSummary> {
    if (opened && shown.waiting) upsertKnownAttributes(opened.attributes, { FixAwaiting: null })
    show({ phase: 'closing', waiting: undefined })
    // All messages go on record first: nothing comes after a session's last event.
    await messages.close()
    const summary = await proxyClosingActivities(opened, homeQueue).closeSession({
      sessionId,
      outcomes: {},
      ending,
      by: messages.cancelled(),
      at: Date.now(),
      votes,
    })
    await messages.rest()
    if (opened) {
      const score = votes?.mean === undefined ? {} : { FixScore: Math.round(votes.mean) }
      upsertKnownAttributes(opened.attributes, { FixStatus: summary.status, FixAwaiting: null, ...score })
    }
    show({ phase: summary.status })
    if (opened?.post && ending?.class !== 'cancelled') await startPosting(opened, opened.post)
    return summary
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
    if (!ballot) return `| ${voter} | in work or to come |`
    return `| ${voter} | ${ballot.kind === 'vote' ? ballot.vote : describeMissingVote(ballot).replaceAll('|', '/')} |`
  })
  return [
    `**${phase}**`,
    ...(votes ? [`**${votes.verdict}**${votes.mean === undefined ? '' : `, mean ${votes.mean}`}`] : []),
    ...(waiting ? [`Waits for ${waiting.for}`] : []),
    ...(trouble === undefined ? [] : [`**Trouble**: ${trouble}`]),
    '',
    '| voter | vote |',
    '|---|---|',
    ...rows,
  ].join('\n')
}
