// How the workflow runs its activities: queue, time limits, name in the Temporal UI, what the session shows meanwhile. No activity has a
// schedule-to-close timeout: a machine may be off over the weekend, and its session must not notice.
import type { RetryPolicy } from '@temporalio/common'
import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  CancellationScope,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow'
import { SESSION_TIME_OVER } from '../../domain/budget/limits.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import { joinList } from '../../domain/text/join-list.ts'
import {
  type HostedSession,
  type Lane,
  longWorkQueue,
  type ProofOutcome,
  type ReviewActivities,
  type SessionActivities,
  type VerifyOutcome,
} from '../../domain/workflow-types/index.ts'
import { BUCKET_FAILURE } from '../../domain/workflow-types/temporal-names.ts'
import type { PlanningActivities } from '../people/planning-dialogue.ts'
import type { SessionClock } from '../people/session-clock.ts'
import type { StageActivities } from '../stage/stage-ports.ts'
import type { MutableView } from './show-session-details.ts'

/** For sessions from before this was a setting. */
const GRACE_FALLBACK_SECONDS = 45
const GIT_SECONDS = 120
const HEARTBEAT_FALLBACK_SECONDS = 5

/** Ten tries in about two minutes, for lost workers and infrastructure trouble; verdicts and failed agent calls are values. */
const RETRY: RetryPolicy = {
  initialInterval: '500ms',
  backoffCoefficient: 2,
  maximumInterval: '30s',
  maximumAttempts: 10,
}
/** Tries for hours: closing waits for space on a full disk, and reading a command for a forge that is down. */
export const PATIENT_RETRY: RetryPolicy = { ...RETRY, maximumAttempts: 500 }

function proxyWithOptions(options: ActivityOptions, heartbeatSeconds: number): SessionActivities {
  return waitForBucket(
    proxyActivities<SessionActivities>({
      heartbeatTimeout: `${heartbeatSeconds}s`,
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
      retry: RETRY,
      ...options,
    }),
  )
}

/** A bucket that is down ends no session: when the tries at a step are over for that reason, they begin anew. */
function waitForBucket(activities: SessionActivities): SessionActivities {
  return new Proxy(activities, {
    get(target, name, receiver) {
      const activity: (input: unknown) => Promise<unknown> = Reflect.get(target, name, receiver)
      const run = (input: unknown): Promise<unknown> =>
        activity(input).catch((error: unknown) => {
          if (error instanceof ActivityFailure && (error.cause as { type?: unknown })?.type === BUCKET_FAILURE)
            return run(input)
          throw error
        })
      return run
    },
  })
}

/** Activities of the home that has the session; without a queue of its own, any worker of the workflow's queue takes them. */
export function proxyHomeActivities(taskQueue: string | undefined, summary: string, retry = RETRY): SessionActivities {
  const where = taskQueue === undefined ? {} : { taskQueue }
  return proxyWithOptions({ ...where, startToCloseTimeout: '10 minutes', summary, retry }, HEARTBEAT_FALLBACK_SECONDS)
}

type WorkKind = 'fix' | 'talk' | 'challenge' | 'verify' | 'commit' | 'git'

export function proxyHostActivities(
  { queue, timeouts }: Pick<HostedSession, 'queue' | 'timeouts'>,
  work: WorkKind,
  summary: string,
  retry = RETRY,
): SessionActivities {
  const seconds = {
    fix: timeouts.fixSeconds,
    talk: timeouts.talkSeconds ?? 2 * timeouts.fixSeconds,
    challenge: timeouts.challengeSeconds,
    verify: timeouts.verifySeconds,
    commit: timeouts.commitSeconds ?? GIT_SECONDS,
    git: GIT_SECONDS,
  }[work]
  const startToCloseTimeout = `${Math.ceil(seconds + (timeouts.graceSeconds ?? GRACE_FALLBACK_SECONDS))}s` as const
  const taskQueue = work === 'git' || work === 'commit' ? queue : longWorkQueue(queue)
  return proxyWithOptions({ taskQueue, startToCloseTimeout, summary, retry }, timeouts.heartbeatSeconds)
}

export function proxyClosingActivities(
  opened: HostedSession | undefined,
  homeQueue: string | undefined,
): SessionActivities {
  const summary = 'close the session'
  return opened
    ? proxyHostActivities(opened, 'git', summary, PATIENT_RETRY)
    : proxyHomeActivities(homeQueue, summary, PATIENT_RETRY)
}

export const OUT_OF_TIME_FAILURE: CallFailure = { class: 'budget', ...SESSION_TIME_OVER }

/** For the input of an agent call, which ends by itself; empty if there is no limit. */
export function toDeadlineInput(time: SessionClock): { readonly endsAt?: number } {
  const endsAt = time.endsAt()
  return endsAt === undefined ? {} : { endsAt }
}

/** Cancels the operator's own commands when the time is over; `otherwise` is the result then. */
export async function runWithinDeadline<T>(time: SessionClock, work: () => Promise<T>, otherwise: T): Promise<T> {
  const endsAt = time.endsAt()
  if (endsAt === undefined) return await work()
  const left = endsAt - Date.now()
  if (left <= 0) return otherwise
  const whole = CancellationScope.current()
  const scope = new CancellationScope({ cancellable: true, timeout: left })
  try {
    return await scope.run(work)
  } catch (error) {
    const isOver = scope.consideredCancelled && !whole.consideredCancelled
    if (isOver && (isCancellation(error) || error instanceof ActivityFailure)) return otherwise
    throw error
  }
}

/** A session that is under way, as far as its activities need it. */
interface StepContext {
  readonly sessionId: string
  readonly opened: HostedSession
  readonly time: SessionClock
  readonly lane?: Lane | undefined
  show(change: Partial<MutableView>): void
}

/** Nothing in sessions with one lane, so that their histories stay as they were. */
export function toLaneInput({ lane }: Pick<StepContext, 'lane'>): { readonly lane?: Lane } {
  return lane ? { lane } : {}
}

export function createPlanningActivities(at: StepContext): PlanningActivities {
  const { sessionId, time } = at
  const on = (work: WorkKind, summary: string) => proxyHostActivities(at.opened, work, summary)
  return {
    clarify: (step) => {
      at.show({ phase: 'looking for what is unclear' })
      return on('talk', `clarify · round ${step.round}`).clarify({ sessionId, ...step, ...toDeadlineInput(time) })
    },
    planFixes: (step) => {
      at.show({ phase: 'planning' })
      return on('talk', step.rejected ? 'plan again' : 'plan').planFixes({
        sessionId,
        ...step,
        ...toDeadlineInput(time),
      })
    },
    applyPlan: (step) => on('git', 'lay out the plan').applyPlan({ sessionId, ...step }),
  }
}

type SessionStep<Activity> = Activity extends (input: infer Input) => infer Outcome
  ? (input: Omit<Input, 'sessionId' | 'endsAt'>) => Outcome
  : never

export function createReviewActivities(at: StepContext): {
  readonly [Name in Exclude<keyof ReviewActivities, 'openReview'>]: SessionStep<ReviewActivities[Name]>
} {
  const { sessionId, time } = at
  const on = (work: WorkKind, summary: string) => proxyHostActivities(at.opened, work, summary)
  return {
    reviewChange: (step) => {
      at.show({ phase: 'reviewing' })
      return on('talk', 'review the change').reviewChange({ sessionId, ...step, ...toDeadlineInput(time) })
    },
    verifyFindings: (step) => {
      const about = formatCodes(step.ids)
      at.show({ phase: `verifying ${about}` })
      return on('talk', `verify ${about}`).verifyFindings({ sessionId, ...step, ...toDeadlineInput(time) })
    },
    concludeReview: (step) => on('git', 'conclude the review').concludeReview({ sessionId, ...step }),
  }
}

export function createStageActivities(at: StepContext): StageActivities {
  const { time } = at
  const of = { sessionId: at.sessionId, ...toLaneInput(at) }
  const on = (work: WorkKind, summary: string) => proxyHostActivities(at.opened, work, summary)
  return {
    fixBatch: (step) => {
      at.show({ phase: `fixing ${formatCodes(step.codes)}` })
      const verb = step.iteration === 1 ? 'fix' : 're-fix'
      return on('fix', `${verb} ${formatCodes(step.codes)} · attempt ${step.iteration}`).fixBatch({
        ...of,
        ...step,
        ...toDeadlineInput(time),
      })
    },
    verifyTree: (step) => {
      const where = step.inFreshCheckout ? ' in a fresh checkout' : ''
      at.show({ phase: `verifying${where}` })
      const verify = () => on('verify', `verify ${formatCodes(step.codes)}${where}`).verifyTree({ ...of, ...step })
      // The verification before a commit, and that of what had passed, are part of committing, which comes before the end.
      if (step.inFreshCheckout || step.ignoresLimits) return verify()
      return runWithinDeadline<VerifyOutcome>(time, verify, {
        verdict: 'unverified',
        tree: '',
        summary: '',
        failure: OUT_OF_TIME_FAILURE,
      })
    },
    challengeTree: (step) => {
      const about = formatCodes([...step.codes, ...(step.claims ?? []).flatMap(({ codes }) => codes)])
      at.show({ phase: `challenging ${about}` })
      const ends = step.ignoresLimits ? {} : toDeadlineInput(time)
      return on('challenge', `challenge ${about}`).challengeTree({ ...of, ...step, ...ends })
    },
    verifyOldTests: (step) => {
      at.show({ phase: 'verifying with the tests as they were' })
      return on('verify', `verify ${formatCodes(step.codes)} with the tests as they were`).verifyOldTests({
        ...of,
        ...step,
      })
    },
    proveFix: (step) => {
      at.show({ phase: `looking for a proof of ${formatCodes(step.codes)}` })
      const prove = () => on('verify', `prove ${formatCodes(step.codes)}`).proveFix({ ...of, ...step })
      return runWithinDeadline<ProofOutcome>(time, prove, { verdict: 'not_proven' })
    },
    commitStage: (step) => {
      at.show({ phase: `committing ${formatCodes(step.codes)}` })
      return on('commit', `commit ${formatCodes(step.codes)}`).commitStage({ ...of, ...step })
    },
    mergeStage: (step) =>
      on('git', `merge ${formatCodes(step.codes)} onto ${step.onto.slice(0, 10)}`).mergeStage({ ...of, ...step }),
  }
}

function formatCodes(codes: readonly string[]): string {
  return joinList(codes, ', ', 3)
}
