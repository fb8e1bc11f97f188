// A session as a workflow: open the workspace, clarify and plan, work through the stages, close. This file wires the pure drivers
// (clarify-and-plan.ts, stage-loop.ts) and people's messages (message-handlers.ts) to Temporal.

import {
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  patched,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import { listStageCodes } from '../domain/plan/plan.ts'
import type { TrackedFinding } from '../domain/review-fix/tracker.ts'
import { BASELINE_STEP_ID } from '../domain/session/step-id.ts'
import type {
  Ending,
  HostedSession,
  IssueOutcome,
  JoinedSummary,
  OpenedReview,
  OpenedSession,
  SessionProgress,
  SessionSummary,
  SessionView,
  StoredSessionInput,
  VerifyOutcome,
} from '../domain/workflow-types/index.ts'
import { SESSION_QUERY, TROUBLE_SIGNAL } from '../domain/workflow-types/temporal-names.ts'
import { explainEnding, truncateReason } from './explain-ending.ts'
import { createLaneCoordinator } from './lanes/lane-ports.ts'
import { runLanes } from './lanes/run-lanes.ts'
import { createWaitBoard } from './lanes/wait-board.ts'
import { clarifyAndPlan } from './people/clarify-and-plan.ts'
import { registerMessageHandlers } from './people/message-handlers.ts'
import { createSessionClock } from './people/session-clock.ts'
import { createPauseHold, createPeoplePorts, type RunningSession } from './people/wait-for-decision.ts'
import { receiveOrder, toStoredSession } from './receive-order.ts'
import { runReview } from './review/run-review.ts'
import { runStage } from './stage/stage-loop.ts'
import { type MutableView, showDetails, upsertKnownAttributes } from './temporal/search-attributes-and-details.ts'
import {
  createPlanningActivities,
  createStageActivities,
  OUT_OF_TIME_FAILURE,
  proxyClosingActivities,
  proxyHomeActivities,
  proxyHostActivities,
  runWithinDeadline,
  toDeadlineInput,
} from './temporal/session-activities.ts'

export const sessionQuery = defineQuery<SessionView>(SESSION_QUERY)

/** Anybody may start it with anything; the input should be a `SessionInput`. */
export async function fixSession(input: unknown): Promise<SessionSummary | JoinedSummary> {
  return await runFixSession(input, { reviewsFirst: false })
}

/** A review and the fixing of what it confirmed, as one workflow: the review comes before the session opens its branch. */
export async function reviewFixSession(input: unknown): Promise<SessionSummary | JoinedSummary> {
  return await runFixSession(input, { reviewsFirst: true })
}

/** Every session ends through `closeSession`, so it always says why it ended. */
async function runFixSession(
  input: unknown,
  { reviewsFirst }: { readonly reviewsFirst: boolean },
): Promise<SessionSummary | JoinedSummary> {
  const stored = toStoredSession(input)
  const carried = stored?.carried
  let sessionId = stored?.sessionId ?? ''
  let homeQueue = stored?.homeQueue
  const shown: MutableView = { phase: 'opening', stage: (carried?.nextStage ?? 0) + 1 }
  const outcomes: Record<string, IssueOutcome> = { ...carried?.outcomes }
  const commits = [...(carried?.commits ?? [])]
  const work = new CancellationScope({ cancellable: true })
  let opened = carried?.opened
  /** While it reviews, before the branch is open. */
  let reviewing: OpenedReview | undefined
  let review = carried?.review
  const tracked = new Map(carried?.tracked?.map((each) => [each.id, each]))
  const messages = registerMessageHandlers(carried?.messages, {
    write: async (messages) => {
      await condition(() => sessionId !== '')
      await proxyHomeActivities(homeQueue, 'write down what was said').recordMessages({ sessionId, messages })
    },
    onCancel: () => work.cancel(),
    senderKey: () => hosted()?.senderKey,
    fourEyes: () => hosted()?.fourEyes,
  })
  let planned = carried?.plannedConversation
  const time = createSessionClock(() => hosted()?.endsAt, carried?.waitedForPeopleMs)
  const view = (): SessionView => ({
    sessionId,
    phase: shown.phase,
    stage: shown.stage,
    stages: opened?.stages.length ?? 0,
    branch: opened?.branch,
    waiting: shown.waiting,
    open: messages.dialogue().open,
    answered: messages.dialogue().answered,
    outcomes,
    commits,
  })
  setHandler(sessionQuery, view)
  const show = (change: Partial<MutableView>): void => {
    Object.assign(shown, { trouble: undefined }, change)
    showDetails(view(), opened, shown.trouble)
  }
  setHandler(defineSignal<[unknown]>(TROUBLE_SIGNAL), (text) => show({ trouble: truncateReason(String(text)) }))

  if (!stored) {
    const received = await receiveOrder(input, show)
    if (received.kind === 'answered') return received.summary
    ;({ sessionId, homeQueue } = received)
  }
  let ending: Ending | undefined
  try {
    ending = await work.run(async () => {
      if (opened) return await runStages(opened)
      const failed = reviewsFirst ? await reviewFirst() : undefined
      if (failed || (reviewsFirst && review?.confirmed === 0)) return failed
      opened = await proxyOpening().openSession({ sessionId })
      upsertKnownAttributes(opened.attributes, { FixStatus: workStatus(opened), FixBranch: opened.branch ?? null })
      const stop = await beginWork(opened)
      if (stop) return stop
      if (workStatus(opened) === 'analyzing') upsertKnownAttributes(opened.attributes, { FixStatus: 'generating' })
      return await runStages(opened)
    })
  } catch (error) {
    ending = explainEnding(error, work, messages.cancelled())
  }
  return await CancellationScope.nonCancellable(() => close(ending))

  function hosted(): HostedSession | undefined {
    return opened ?? reviewing
  }

  /** The clone that was reviewed is on its host. */
  function proxyOpening(): ReturnType<typeof proxyHomeActivities> {
    const summary = `open ${sessionId}`
    return reviewing ? proxyHostActivities(reviewing, 'git', summary) : proxyHomeActivities(homeQueue, summary)
  }

  async function reviewFirst(): Promise<Ending | undefined> {
    reviewing = await proxyHomeActivities(homeQueue, `open ${sessionId}`).openReview({ sessionId })
    upsertKnownAttributes(reviewing.attributes, { FixStatus: 'analyzing' })
    const reviewed = await runReview({ sessionId, opened: reviewing, messages, time, show })
    if (reviewed.kind === 'failed') return reviewed.ending
    review = reviewed.summary
    return undefined
  }

  function underway(session: OpenedSession): RunningSession & { readonly opened: OpenedSession } {
    return { sessionId, opened: session, messages, time, show }
  }

  async function beginWork(session: OpenedSession): Promise<Ending | undefined> {
    if (!session.verifiesBaseFirst) return (await talkOver(session)) ?? (await verifyBase(opened ?? session))
    return (await verifyBase(session)) ?? (await talkOver(await nameBranch(session)))
  }

  async function nameBranch(session: OpenedSession): Promise<OpenedSession> {
    if (!session.namesBranch) return session
    show({ phase: 'naming the branch' })
    const { branch } = await proxyHostActivities(session, 'talk', 'name the branch').nameBranch({
      sessionId,
      ...toDeadlineInput(time),
    })
    const named = { ...session, branch }
    opened = named
    upsertKnownAttributes(session.attributes, { FixBranch: branch })
    return named
  }

  async function verifyBase(session: OpenedSession): Promise<Ending | undefined> {
    if (!session.rules.verify || session.stages.length === 0) return undefined
    show({ phase: 'verifying the untouched base' })
    const verifying = proxyHostActivities(session, 'verify', 'verify the untouched base')
    const verify = () => verifying.verifyBaseline({ sessionId, stepId: BASELINE_STEP_ID, head: session.base })
    const { failure, refusal } = await runWithinDeadline<Pick<VerifyOutcome, 'failure' | 'refusal'>>(time, verify, {
      failure: OUT_OF_TIME_FAILURE,
    })
    if (refusal) return { class: 'infrastructure', ...refusal }
    return failure && { class: failure.class, detail: failure.detail }
  }

  async function talkOver(session: OpenedSession): Promise<Ending | undefined> {
    const { planning, timeouts, stages } = session
    if (!planning || stages.length === 0) return undefined
    const task = { rules: planning, timeouts, codes: stages.flatMap(listStageCodes) }
    const at = underway(session)
    const { conversation, appliedPlan, droppedBy, stop } = await clarifyAndPlan(task, {
      ...createPauseHold(at)(createPlanningActivities(at)),
      ...createPeoplePorts(at),
      listAnswered: () => messages.dialogue().answered,
      addAnswers: (answered) => messages.remember(answered),
    })
    planned = conversation
    if (appliedPlan) opened = { ...session, stages: appliedPlan.stages, brief: appliedPlan.brief }
    for (const code of appliedPlan?.dropped ?? []) {
      const reason = `left out of the plan by ${droppedBy?.by ?? 'a person'}`
      outcomes[code] = { status: 'open', reason, iterations: 0 }
    }
    return stop
  }

  async function runStages(session: OpenedSession): Promise<Ending | undefined> {
    const { stages, rules, timeouts, brief, lanes } = session
    const at = underway(session)
    const hold = createPauseHold(at)
    const coordinator = createLaneCoordinator(() => patched('lanes-share-key-wait'))
    const waits = createWaitBoard()
    const task = {
      stages,
      lanes: lanes?.count ?? 1,
      sharing: carried?.sharing ?? lanes?.sharing ?? [],
      head: carried?.head ?? session.base,
      done: carried?.done ?? [...stages.keys()].slice(0, carried?.nextStage ?? 0),
    }
    const end = await runLanes(task, {
      runStage: async (start) => {
        const { index, stage, head } = start
        show({ phase: 'fixing', stage: index + 1 })
        const lane = 'lane' in start ? { number: start.lane, of: task.lanes } : undefined
        const own = lane ? { ...at, lane, waits } : at
        const ports = {
          ...hold(createStageActivities(own), own),
          ...createPeoplePorts(own),
          track: (all: readonly TrackedFinding[]) => {
            for (const each of all) tracked.set(each.id, each)
          },
        }
        // A conversation goes on only in the folder where it began, which is the first lane's.
        const plannedConversation = lane && lane.number > 1 ? undefined : planned
        const stageTask = { stage, number: index + 1, head, rules, timeouts, brief, plannedConversation }
        return await runStage(stageTask, 'lane' in start ? coordinator.connect(ports, start) : ports)
      },
      onResult: (result) => {
        for (const [code, outcome] of Object.entries(result.outcomes))
          outcomes[code] = { ...outcome, reason: truncateReason(outcome.reason) }
        commits.push(...result.commits)
      },
      hasToRest: () => hasGrownLong(session),
    })
    if (end.kind === 'over') return end.stop
    await messages.rest()
    const progress = {
      opened: session,
      nextStage: end.done.length,
      ...(lanes ? { done: end.done, sharing: end.sharing } : {}),
      head: end.head,
      outcomes,
      commits,
      plannedConversation: planned,
      waitedForPeopleMs: time.waitedMs(),
      messages: messages.state(),
      ...(review ? { review } : {}),
      ...trackedField(),
    }
    return await continueAsNew<typeof fixSession>({
      sessionId,
      homeQueue,
      carried: progress satisfies SessionProgress,
    } satisfies StoredSessionInput)
  }

  function hasGrownLong(session: OpenedSession): boolean {
    const { historyLength, continueAsNewSuggested } = workflowInfo()
    return continueAsNewSuggested || historyLength >= session.continueAfterEvents
  }

  async function close(end: Ending | undefined): Promise<SessionSummary> {
    // A wait that was cut short has left its attributes behind.
    const host = hosted()
    if (host?.showsWaits && shown.waiting)
      upsertKnownAttributes(host.attributes, { FixStatus: 'generating', FixAwaiting: null })
    show({ phase: 'closing', waiting: undefined })
    // All messages go on record first: nothing comes after a session's last event.
    await messages.close()
    const summary = await proxyClosingActivities(host, homeQueue).closeSession({
      sessionId,
      outcomes,
      ending: end,
      by: messages.cancelled(),
      at: Date.now(),
      ...(review ? { review } : {}),
      ...trackedField(),
      ...(opened?.lanes ? { lanes: opened.lanes.count } : {}),
    })
    await messages.rest()
    if (host) upsertKnownAttributes(host.attributes, { FixStatus: summary.status, FixAwaiting: null, ...score() })
    show({ phase: summary.status })
    return summary
  }

  function trackedField(): { readonly tracked?: readonly TrackedFinding[] } {
    return tracked.size > 0 ? { tracked: [...tracked.values()] } : {}
  }

  function score(): { FixScore?: number } {
    const scores = Object.values(outcomes).flatMap((outcome) => outcome.score ?? [])
    return scores.length > 0 ? { FixScore: Math.round(Math.min(...scores)) } : {}
  }
}

/** What the session is at when it neither waits nor ends: before the first fix, questions and plans may come. */
function workStatus({ showsPlanning, planning, stages }: OpenedSession): 'analyzing' | 'generating' {
  return showsPlanning && planning && stages.length > 0 ? 'analyzing' : 'generating'
}
