// Waits of a session. A wait survives everything and costs nothing. While it lasts, the store, the query and Temporal's UI show its
// reason and, if it is for a person, the command that answers it.

import { CancellationScope, isCancellation, patched, sleep } from '@temporalio/workflow'
import type { AnsweredQuestion, OpenRequest, OutsideFile } from '../../domain/people/validate-messages.ts'
import { listApprovedFiles } from '../../domain/scope/list-approved-files.ts'
import { formatStepId, formatStepPart } from '../../domain/session/step-id.ts'
import { joinList } from '../../domain/text/join-list.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { HostedSession, Lane, ResolvedRequest, WaitState } from '../../domain/workflow-types/index.ts'
import type { WaitBoard } from '../lanes/wait-board.ts'
import type { ScopeDecisionOutcome, WaitPorts } from '../stage/stage-ports.ts'
import { proxyHostActivities, toLaneInput } from '../temporal/session-activities.ts'
import type { MutableView } from '../temporal/show-session-details.ts'
import { upsertKnownAttributes } from '../temporal/upsert-search-attributes.ts'
import type { MessageHandlers, RequestResolution } from './message-handlers.ts'
import type { SessionClock } from './session-clock.ts'

export interface RunningSession {
  readonly sessionId: string
  readonly opened: HostedSession
  readonly messages: MessageHandlers
  readonly time: SessionClock
  /** Set in sessions with several lanes. */
  readonly lane?: Lane | undefined
  /** The waits under way, of all lanes. */
  readonly waits?: WaitBoard | undefined
  show(change: Partial<MutableView>): void
}

/** Takes the lane that the steps belong to, in sessions with several. */
type PauseHold = <Steps extends object>(steps: Steps, own?: RunningSession) => Steps

/**
 * What it returns holds each step back while the session is paused. One that is under way ends. Without a pause the step begins at once, in the same
 * turn, so that histories from before there were pauses replay. Of several lanes, the first that is held back records the pause.
 */
export function createPauseHold(at: RunningSession): PauseHold {
  let resuming: Promise<void> | undefined
  const hold = (run: (input: unknown) => Promise<unknown>, own: RunningSession) => async (input: unknown) => {
    if (at.messages.paused() === undefined) return await run(input)
    resuming ??= waitWhilePaused(own).finally(() => {
      resuming = undefined
    })
    await resuming
    return await run(input)
  }
  return <Steps extends object>(steps: Steps, own: RunningSession = at) =>
    Object.fromEntries(Object.entries(steps).map(([name, run]) => [name, hold(run, own)])) as Steps
}

async function waitWhilePaused(at: RunningSession): Promise<void> {
  for (let pause = at.messages.paused(); pause; pause = at.messages.paused()) {
    const stepId = formatStepId({ kind: 'pause', number: pause.number })
    const why = pause.reason === undefined ? '' : `: ${pause.reason}`
    const waiting: WaitState = {
      kind: 'pause',
      for: truncateText(`a resume: ${pause.by} (${pause.from}) paused it${why}`, 500),
      answer: `fixwright resume ${at.sessionId}`,
      since: Date.now(),
    }
    await whileTimeStandsStill(at.time, async () => {
      await beginWait(at, stepId, waiting)
      await at.messages.waitForResume()
      await endWait(at, stepId, waiting)
    })
  }
}

/** Time goes on when the wait is over, or before that where the wait says so. */
async function whileTimeStandsStill<T>(time: SessionClock, wait: (goOn: () => void) => Promise<T>): Promise<T> {
  const goOn = time.stop()
  try {
    const result = await wait(goOn)
    goOn()
    return result
  } catch (error) {
    // In earlier histories it stood still for good, and other lanes began what they may not begin after the end.
    if (patched('time-goes-on-after-failed-wait')) goOn()
    throw error
  }
}

interface OwnPause {
  /** What the session waits for. */
  readonly for: string
  /** The setting or the thing that lets it pause itself. */
  readonly from: string
  readonly seconds: number
}

/** The session pauses itself until somebody resumes it, or the time is over: then it returns false. */
async function waitForResume(at: RunningSession, { for: what, from, seconds }: OwnPause): Promise<boolean> {
  const pause = at.messages.pauseItself(from)
  const stepId = formatStepId({ kind: 'pause', number: pause.number })
  const since = Date.now()
  const until = since + seconds * 1000
  const waiting: WaitState = {
    kind: 'pause',
    for: truncateText(what, 500),
    answer: `fixwright resume ${at.sessionId}`,
    since,
    until,
  }
  return await whileTimeStandsStill(at.time, async (goOn) => {
    await beginWait(at, stepId, waiting)
    const isResumed = await at.messages.waitForResumeUntil(pause, until)
    goOn()
    await endWait(at, stepId, waiting)
    return isResumed
  })
}

/** Agents take their keys from where the instance was started, so whoever follows the session leaves first. */
function describeRefusedKey(why: string): string {
  const detail = truncateText(why.replace(/\.$/, ''), 300)
  return `a key that the challenger's provider takes; the fix is kept. It said: ${detail}. Leave, sign in again or set the right key, then resume`
}

interface PeoplePorts extends WaitPorts {
  requestDecision(stepId: string, open: OpenRequest, seconds: number): Promise<RequestResolution>
  waitForStart(seconds: number): Promise<boolean>
  waitForKey(why: string, seconds: number): Promise<boolean>
  decideScope(stepId: string): Promise<ScopeDecisionOutcome>
}

export function createPeoplePorts(at: RunningSession): PeoplePorts {
  return {
    wait: async ({ stepId, kind, why, until }) => {
      const waiting: WaitState = { kind, for: why, since: Date.now(), until }
      const untilOver = async (): Promise<void> => {
        await beginWait(at, stepId, waiting)
        await sleep(Math.max(until - Date.now(), 1))
        await endWait(at, stepId, waiting)
      }
      // Only a person switches the branch that is checked out.
      await (kind === 'branch' ? whileTimeStandsStill(at.time, untilOver) : untilOver())
    },
    now: () => Date.now(),
    endsAt: () => at.time.endsAt(),
    requestDecision: (stepId, open, seconds) => requestDecision(at, stepId, open, seconds),
    waitForStart: (seconds) =>
      waitForResume(at, { for: 'a start: nothing is unclear any more', from: 'people.wait_for_start', seconds }),
    waitForKey: (why, seconds) => waitForResume(at, { for: describeRefusedKey(why), from: 'the challenger', seconds }),
    decideScope: (stepId) => requestScopeDecision(at, stepId),
  }
}

/** Returns when people have decided, or their time is over. */
async function requestDecision(
  at: RunningSession,
  stepId: string,
  open: OpenRequest,
  seconds: number,
): Promise<RequestResolution> {
  const since = Date.now()
  const until = since + seconds * 1000
  const waiting: WaitState = {
    kind: open.kind,
    for: describeRequest(open),
    answer: formatAnswerCommand(at, open),
    since,
    until,
  }
  // Answers count from here on, even those that come before the wait is on record.
  at.messages.open(open)
  const answers = (): AnsweredQuestion[] => at.messages.dialogue().answered.filter(({ id }) => isQuestionIn(open, id))
  const { kind } = open
  const waitId = formatStepPart(stepId, { kind: 'people_wait' })
  return await whileTimeStandsStill(at.time, async (goOn) => {
    try {
      await beginWait(at, waitId, waiting, open)
      const resolved = await at.messages.waitForResolution(until)
      goOn()
      await endWait(at, waitId, waiting, {
        ...toResolution(resolved),
        kind,
        answers: answers(),
        decidedBy: resolved.decided,
      })
      return resolved
    } catch (error) {
      // Answers so far are kept, so that nobody has to give them again when the same issue comes back.
      if (isCancellation(error) && answers().length > 0) {
        const decided = at.messages.cancelled() ?? { by: 'somebody', from: 'Temporal', at: Date.now() }
        const over = { kind, resolution: 'cancelled', answers: answers(), decidedBy: decided } as const
        await CancellationScope.nonCancellable(() => endWait(at, waitId, waiting, over))
      }
      throw error
    }
  })
}

/** Asks about changes of a fixer's agent call that only a person may allow. */
async function requestScopeDecision(at: RunningSession, stepId: string): Promise<ScopeDecisionOutcome> {
  const { sessionId, opened } = at
  const asking = proxyHostActivities(opened, 'git', `what ${stepId} changed outside of its scope`)
  const { files, more } = await asking.prepareScopeRequest({ sessionId, stepId, ...toLaneInput(at) })
  if (files.length === 0) return { barred: [], reason: '' }
  const seconds = opened.timeouts.scopeSeconds
  const open = { kind: 'scope', request: stepId, files, more } as const
  const resolved = await requestDecision(at, formatStepPart(stepId, { kind: 'scope' }), open, seconds)
  const { decided } = resolved
  const decision = resolved.kind === 'scope' ? resolved.decision : ({ decision: 'deadline' } as const)
  const deciding = proxyHostActivities(opened, 'git', `settle what ${stepId} changed outside of its scope`)
  const step = { sessionId, stepId, ...toLaneInput(at) }
  const { barred } = await deciding.applyScopeDecision({ ...step, decision, decidedBy: decided })
  const { resolution, reason } = toResolution(resolved)
  const who = resolution === 'deadline' ? 'nobody decided in time' : `not approved by ${decided.by}`
  const approved = listApprovedFiles(files, decision)
  const refused = files.filter((file) => !approved.includes(file))
  return { barred, reason: `${who}: ${describeFiles(refused)}${reason ? `: ${reason}` : ''}` }
}

async function beginWait(at: RunningSession, stepId: string, waiting: WaitState, open?: OpenRequest): Promise<void> {
  const shows = at.waits?.begin(stepId, { waiting, open })
  at.show({ phase: 'waiting', waiting: shows?.waiting ?? waiting })
  upsertKnownAttributes(at.opened.attributes, {
    FixAwaiting: shows?.waiting.for ?? waiting.for,
    ...(open && at.opened.showsWaits ? { FixStatus: 'awaiting_clarification' } : {}),
  })
  const recording = proxyHostActivities(at.opened, 'git', truncateText(`waiting: ${waiting.for}`, 100))
  const reason = waiting.for
  const about = { sessionId: at.sessionId, stepId, reason, waiting, ...(open ? { open } : {}) }
  await recording.recordWait({ ...about, ...toLaneInput(at), ...(shows ? { shows } : {}) })
}

async function endWait(
  at: RunningSession,
  stepId: string,
  waiting: WaitState,
  resolved?: ResolvedRequest,
): Promise<void> {
  const shows = at.waits?.end(stepId)
  at.show({ phase: 'going on', waiting: shows?.waiting })
  upsertKnownAttributes(at.opened.attributes, {
    FixAwaiting: shows?.waiting.for ?? null,
    ...(resolved && !shows?.open && at.opened.showsWaits ? { FixStatus: statusAfter(at.opened, resolved) } : {}),
  })
  const recording = proxyHostActivities(at.opened, 'git', 'the wait is over')
  await recording.recordWait({
    sessionId: at.sessionId,
    stepId: formatStepPart(stepId, { kind: 'resumed' }),
    reason: waiting.for,
    ...toLaneInput(at),
    ...(shows ? { shows } : {}),
    ...(resolved ? { resolved: resolved } : {}),
  })
}

/** Questions and plans come before the first fix. */
function statusAfter({ showsPlanning }: HostedSession, { kind }: ResolvedRequest): 'analyzing' | 'generating' {
  return showsPlanning && kind !== 'scope' ? 'analyzing' : 'generating'
}

function describeRequest(open: OpenRequest): string {
  switch (open.kind) {
    case 'clarification':
      return `an answer to ${formatCount(open.questions.length, 'question')}: ${truncateText(open.questions[0]?.question ?? '', 120)}`
    case 'plan':
      return `a decision about the plan for ${formatCount(open.codes.length, 'issue')}`
    case 'scope':
      return `a decision about ${formatCount(open.files.length + open.more, 'changed file')}: ${describeFiles(open.files)}`
  }
}

function formatAnswerCommand({ sessionId }: RunningSession, { kind }: OpenRequest): string {
  const command = { clarification: 'answer', plan: 'plan', scope: 'scope' }[kind]
  return `fixwright ${command} ${sessionId}`
}

function toResolution(resolved: RequestResolution): Pick<ResolvedRequest, 'resolution' | 'reason'> {
  if (resolved.kind !== 'plan' && resolved.kind !== 'scope') return { resolution: resolved.kind }
  const { decision } = resolved
  return decision.decision === 'reject'
    ? { resolution: 'reject', reason: decision.reason }
    : { resolution: decision.decision }
}

function isQuestionIn(open: OpenRequest, id: string): boolean {
  return open.kind === 'clarification' && open.questions.some((question) => question.id === id)
}

function formatCount(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

/** With what each of them brings that a person has to let through. */
function describeFiles(files: readonly OutsideFile[]): string {
  const described = files.map(({ path, why }) => `${truncateText(path, 100)} (${truncateText(why, 100)})`)
  return joinList(described, ', ', 3)
}
