// A session as a workflow: open the workspace, clarify and plan, work through the stages, close. This file wires the pure drivers
// (clarify-and-plan.ts, run-stage.ts) and people's messages (message-handlers.ts) to Temporal.

import { continueAsNew, patched, workflowInfo } from '@temporalio/workflow'
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
  StoredSessionInput,
  VerifyOutcome,
} from '../domain/workflow-types/index.ts'
import { truncateReason } from './explain-ending.ts'
import { createLaneCoordinator } from './lanes/lane-ports.ts'
import { loopOverStages } from './lanes/loop-over-stages.ts'
import { createWaitBoard } from './lanes/wait-board.ts'
import { runPlanningDialogue } from './people/planning-dialogue.ts'
import { createPauseHold, createPeoplePorts, type RunningSession } from './people/wait-for-decision.ts'
import { toStoredSession } from './receive-order.ts'
import { runReview } from './review/run-review.ts'
import { createSessionFrame } from './session-frame.ts'
import { runStage } from './stage/run-stage.ts'
import {
  createPlanningActivities,
  createStageActivities,
  OUT_OF_TIME_FAILURE,
  proxyHomeActivities,
  proxyHostActivities,
  runWithinDeadline,
  toDeadlineInput,
} from './temporal/session-activities.ts'
import { showDetails } from './temporal/show-session-details.ts'
import { upsertKnownAttributes } from './temporal/upsert-search-attributes.ts'

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
  const carried = toStoredSession(input)?.carried
  const outcomes: Record<string, IssueOutcome> = { ...carried?.outcomes }
  const commits = [...(carried?.commits ?? [])]
  let opened = carried?.opened
  /** While it reviews, before the branch is open. */
  let reviewing: OpenedReview | undefined
  let review = carried?.review
  const tracked = new Map(carried?.tracked?.map((each) => [each.id, each]))
  let planned = carried?.plannedConversation
  const frame = createSessionFrame(input, {
    hosted,
    view: ({ dialogue }) => ({
      stages: opened?.stages.length ?? 0,
      branch: opened?.branch,
      open: dialogue().open,
      answered: dialogue().answered,
      outcomes,
      commits,
    }),
    showDetails: (view, { trouble }) => showDetails(view, opened, trouble),
  })
  const answered = await frame.receive()
  if (answered) return answered
  const { sessionId, homeQueue, messages, time, show } = frame
  const ending = await frame.run(async () => {
    if (opened) return await runRemainingStages(opened)
    const failed = reviewsFirst ? await reviewFirst() : undefined
    if (failed || (reviewsFirst && review?.confirmed === 0)) return failed
    opened = await proxyOpening().openSession({ sessionId })
    upsertKnownAttributes(opened.attributes, { FixStatus: workStatus(opened), FixBranch: opened.branch ?? null })
    const stop = await beginWork(opened)
    if (stop) return stop
    if (workStatus(opened) === 'analyzing') upsertKnownAttributes(opened.attributes, { FixStatus: 'generating' })
    return await runRemainingStages(opened)
  })
  return await frame.close(ending, {
    record: {
      outcomes,
      ...(review ? { review } : {}),
      ...trackedField(),
      ...(opened?.lanes ? { lanes: opened.lanes.count } : {}),
    },
    afterCutWait: hosted()?.showsWaits ? { FixStatus: 'generating', FixAwaiting: null } : undefined,
    attributes: score(),
  })

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
    const { conversation, appliedPlan, droppedBy, stop } = await runPlanningDialogue(task, {
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

  async function runRemainingStages(session: OpenedSession): Promise<Ending | undefined> {
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
    const end = await loopOverStages(task, {
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
