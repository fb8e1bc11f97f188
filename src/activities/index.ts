// The activities, under the names by which the workflow calls them, and how each is run: in turn with the others of its session,
// alive in Temporal's eyes by heartbeats, and open to cancellation.

import { Context } from '@temporalio/activity'
import { ApplicationFailure, TemporalFailure } from '@temporalio/common'
import { FixwrightError } from '../domain/errors/fixwright-error.ts'
import { formatCommandId } from '../domain/forge/command-id.ts'
import { formatWatchId } from '../domain/forge/watch-id.ts'
import { adviseOnFailure } from '../domain/session/advise-on-failure.ts'
import { truncateText } from '../domain/text/truncate.ts'
import type { Lane, PullCommandInput, SessionActivities } from '../domain/workflow-types/index.ts'
import { BUCKET_FAILURE, TROUBLE_SIGNAL } from '../domain/workflow-types/temporal-names.ts'
import { runCancellable } from '../platform/processes/run-tool.ts'
import { challengeTree } from './challenge/challenge-tree.ts'
import { closeSession } from './close/close-session.ts'
import { commitStage } from './commit/commit-stage.ts'
import { mergeStage } from './commit/merge-onto-branch.ts'
import type { ActivityContext, Heartbeat } from './context.ts'
import { fixBatch } from './fix/fix-batch.ts'
import {
  acknowledgeCommand,
  answerSession,
  describeCommandPull,
  findCommandReply,
  postCommandReply,
  withdrawCommandReply,
} from './forge/command-replies.ts'
import { fetchPullCommits } from './forge/fetch-pull-commits.ts'
import { findCommands } from './forge/find-commands.ts'
import { closeDuplicateIssue, findLeftoverIssues, openLeftoverIssue } from './forge/leftover-issues.ts'
import { lookAtPull } from './forge/look-at-pull.ts'
import { findPulls, openPull, pushBranch } from './forge/pull-request.ts'
import { readCommand } from './forge/read-command.ts'
import { recordLanding } from './forge/record-landing.ts'
import { findVotePosts, postVotePart, withdrawVotePost } from './forge/vote-posts.ts'
import { createSession } from './open/create-session.ts'
import { nameBranch } from './open/name-branch.ts'
import { openSession } from './open/open-session.ts'
import { recordMessages } from './people/record-messages.ts'
import { recordWait } from './people/record-wait.ts'
import { applyPlan } from './plan/apply-plan.ts'
import { clarify, planFixes } from './plan/clarify-and-plan.ts'
import { concludeReview } from './review/conclude-review.ts'
import { openReview } from './review/open-review.ts'
import { reviewChange } from './review/review-change.ts'
import { verifyFindings } from './review/verify-findings.ts'
import { applyScopeDecision, prepareScopeRequest } from './scope/apply-scope-decision.ts'
import { serializeByKey } from './serialize-by-key.ts'
import { verifyOldTests } from './verify/old-tests.ts'
import { proveFix } from './verify/regression-proof.ts'
import { verifyBaseline } from './verify/verify-baseline.ts'
import { verifyTree } from './verify/verify-tree.ts'
import { castVote } from './vote/cast-vote.ts'
import { countVotes } from './vote/count-votes.ts'
import { openVote } from './vote/open-vote.ts'

/**
 * Activities of one session, or of one of its lanes, run one after the other: an attempt that Temporal has given up may still be ending
 * when the next one begins. `recordMessages` waits for none, so that messages are on record while a fixer works. No step begins while
 * artifacts of an earlier one of its session wait for their bucket: they lie in the home meanwhile, so nothing that was paid for is lost.
 * Only closing waits for no bucket, since every session ends.
 */
export function createSessionActivities(context: ActivityContext): SessionActivities {
  const inTurn = serializeByKey()
  const inTurns = <T>(keys: readonly string[], work: () => Promise<T>): Promise<T> =>
    keys.reduce((next, key) => () => inTurn(key, next), work)()
  const inSessionTurn =
    <Input extends LanedInput, Output>(
      work: (context: ActivityContext, input: Input, heartbeat: Heartbeat) => Promise<Output>,
      toTurn: (input: Input) => readonly string[] = listTurnKeys,
    ) =>
    (input: Input): Promise<Output> =>
      withHeartbeat((heartbeat) =>
        inTurns(toTurn(input), async () => {
          heartbeat.signal.throwIfAborted()
          const own = input.lane ? { ...context, lane: input.lane.number } : context
          return await work(own, input, { ...heartbeat, endsAt: input.endsAt, lanes: input.lane?.of })
        }),
      )
  const working = <Input extends LanedInput, Output>(
    work: (context: ActivityContext, input: Input, heartbeat: Heartbeat) => Promise<Output>,
    toTurn?: (input: Input) => readonly string[],
  ): ((input: Input) => Promise<Output>) =>
    inSessionTurn(async (own, input: Input, heartbeat) => {
      const { signal } = heartbeat
      const needed = async () => (await own.store.artifacts.listForSession(input.sessionId)).map(({ ref }) => ref)
      await own.artifacts.bucket?.sendWaiting({ signal, withinMs: BUCKET_WAIT_MS, needed })
      return await work(own, input, heartbeat)
    }, toTurn)
  const onCommand =
    <Input extends PullCommandInput, Output>(work: (context: ActivityContext, input: Input) => Promise<Output>) =>
    (input: Input): Promise<Output> =>
      withHeartbeat(() => inTurn(formatCommandId(input), () => work(context, input)))
  return {
    createSession: (input) => withHeartbeat(() => createSession(context, input)),
    openSession: working(openSession),
    verifyBaseline: working(verifyBaseline),
    nameBranch: working(nameBranch),
    fixBatch: working(fixBatch),
    verifyTree: working(verifyTree),
    challengeTree: working(challengeTree),
    verifyOldTests: working(verifyOldTests),
    proveFix: working(proveFix),
    commitStage: working(commitStage),
    mergeStage: working(mergeStage),
    openVote: working(openVote),
    // Each voter waits for none but itself.
    castVote: working(castVote, ({ sessionId, voter }) => [`${sessionId}/${voter}`]),
    countVotes: working(countVotes),
    recordWait: working(recordWait),
    clarify: working(clarify),
    planFixes: working(planFixes),
    applyPlan: working(applyPlan),
    prepareScopeRequest: working(prepareScopeRequest),
    applyScopeDecision: working(applyScopeDecision),
    openReview: working(openReview),
    reviewChange: working(reviewChange),
    verifyFindings: working(verifyFindings),
    concludeReview: working(concludeReview),
    recordMessages: (input) => withHeartbeat(() => recordMessages(context, input)),
    pushBranch: working(pushBranch),
    findPulls: working(findPulls),
    openPull: working(openPull),
    findLeftoverIssues: working(findLeftoverIssues),
    openLeftoverIssue: working(openLeftoverIssue),
    closeDuplicateIssue: working(closeDuplicateIssue),
    findVotePosts: working(findVotePosts),
    postVotePart: working(postVotePart),
    withdrawVotePost: working(withdrawVotePost),
    lookAtPull: (input) =>
      withHeartbeat(() => inTurn(`look ${formatWatchId(input)}`, () => lookAtPull(context, input))),
    recordLanding: (input) => withHeartbeat(() => inTurn(formatWatchId(input), () => recordLanding(context, input))),
    findCommands: (input) =>
      withHeartbeat(() => inTurn(`look ${formatWatchId(input)}`, () => findCommands(context, input))),
    readCommand: onCommand(readCommand),
    fetchPullCommits: onCommand(fetchPullCommits),
    answerSession: onCommand(answerSession),
    acknowledgeCommand: onCommand(acknowledgeCommand),
    findCommandReply: onCommand(findCommandReply),
    postCommandReply: onCommand(postCommandReply),
    withdrawCommandReply: onCommand(withdrawCommandReply),
    describeCommandPull: onCommand(describeCommandPull),
    closeSession: inSessionTurn(closeSession),
  }
}

interface LanedInput {
  readonly sessionId: string
  readonly endsAt?: number | undefined
  readonly lane?: Lane | undefined
  /** The number of lanes whose turns this step takes, because it waits for all of them. */
  readonly lanes?: number | undefined
}

/** The first lane is the session itself. */
function listTurnKeys({ sessionId, lane, lanes = 1 }: LanedInput): string[] {
  const numbers = lane ? [lane.number] : Array.from({ length: lanes }, (_, index) => index + 1)
  return numbers.map((number) => (number === 1 ? sessionId : `${sessionId}#${number}`))
}

// A person waits for a cancellation, which comes as answer to a heartbeat. The worker sends at most one a second.
const MAX_HEARTBEAT_PAUSE_MS = 1_000

/**
 * The work ends its processes before the activity ends. Temporal's own reason is thrown then, because any other error
 * would count as a failure instead of the cancellation. Work that is done by then counts as done.
 */
export async function withHeartbeat<T>(work: (heartbeat: Heartbeat) => Promise<T>): Promise<T> {
  const context = Context.current()
  const { cancellationSignal: signal, info } = context
  let progress = 'started'
  let queuedMs: number | undefined = Math.max(0, Date.now() - info.currentAttemptScheduledTimestampMs)
  // The start itself counts as a heartbeat, and most steps end before another one is due.
  const heartbeatEveryMs = Math.min((info.heartbeatTimeoutMs ?? 6000) / 4, MAX_HEARTBEAT_PAUSE_MS)
  const timer = setInterval(() => context.heartbeat(progress), heartbeatEveryMs)
  try {
    const reportProgress = (text: string): void => {
      progress = truncateText(text, 200)
    }
    const takeQueuedMs = (): number | undefined => {
      const taken = queuedMs
      queuedMs = undefined
      return taken
    }
    return await runCancellable(signal, () => work({ signal, reportProgress, takeQueuedMs }))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    await reportTrouble(context, error)
    throw error instanceof TemporalFailure ? error : toShortFailure(error)
  } finally {
    clearInterval(timer)
  }
}

/** Many a failure passes by itself within this time. */
const UNREPORTED_MS = 10_000
const SEND_WITHIN_MS = 2_000

/**
 * Tells the workflow of a step that fails again and again, so that its details in Temporal's UI say so. No event does: the store may be what
 * is in trouble.
 */
async function reportTrouble(context: Context, error: unknown): Promise<void> {
  const { activityType, attempt, scheduledTimestampMs, workflowExecution } = context.info
  if (workflowExecution === undefined || Date.now() - scheduledTimestampMs < UNREPORTED_MS) return
  const reason = error instanceof Error ? error.message : String(error)
  const advice = adviseOnFailure(reason)
  const since = new Date(scheduledTimestampMs).toISOString().slice(0, 19).replace('T', ' ')
  const text = `${activityType} has failed ${attempt} times since ${since} UTC: ${truncateText(reason, 150)}${advice ? `. What helps: ${advice}` : ''}`
  try {
    const { workflowId, runId } = workflowExecution
    const { client } = context
    const handle = client.workflow.getHandle(workflowId, runId)
    await client.withDeadline(Date.now() + SEND_WITHIN_MS, () => handle.signal(TROUBLE_SIGNAL, text))
  } catch {
    // The failure itself is what counts.
  }
}

/** The time limits of a step know nothing of this wait, so it is no longer than the least grace that they have. */
const BUCKET_WAIT_MS = 10_000
/** Ten tries of this length, and then ten more: see `session-activities.ts`. */
const BUCKET_RETRY_DELAY = '15 s'

/** Errors of git or a CLI may hold megabytes, and the history keeps the message of every attempt. */
function toShortFailure(error: unknown): ApplicationFailure {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const isBucketDown = error instanceof FixwrightError && error.code === 'artifacts_unreachable'
  const failure = ApplicationFailure.create({
    type: isBucketDown ? BUCKET_FAILURE : name,
    message: truncateText(message, 1000),
    ...(isBucketDown ? { nextRetryDelay: BUCKET_RETRY_DELAY } : {}),
  })
  failure.stack = truncateText(stack?.replace(message, failure.message) ?? '', 2500)
  return failure
}
