// A workflow gets its session by the id of a stored one, or from an order, which the first activity turns into a session. Anybody may
// start a workflow with anything: unusable input ends it with the reason, and never fails its tasks.
import { ApplicationFailure } from '@temporalio/common'
import { CancellationScope, upsertMemo, workflowInfo } from '@temporalio/workflow'
import type { ErrorCode } from '../domain/errors/error-codes.ts'
import {
  type CreateSessionOutcome,
  SESSION_MEMO,
  type StoredSessionInput,
  toRepositoryAttribute,
} from '../domain/workflow-types/index.ts'
import { proxyHomeActivities } from './temporal/session-activities.ts'
import { upsertKnownAttributes } from './temporal/upsert-search-attributes.ts'

type ReceivedOrder = Exclude<CreateSessionOutcome, { readonly kind: 'refused' }>

/** Undefined if the input is to be read as an order. Carried state is accepted only from an earlier run. */
export function toStoredSession(input: unknown): StoredSessionInput | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const { sessionId, homeQueue, carried, ...unknown } = input as Record<string, unknown>
  const isKnown =
    typeof sessionId === 'string' &&
    sessionId !== '' &&
    (homeQueue === undefined || typeof homeQueue === 'string') &&
    (carried === undefined || hasContinuedItself()) &&
    Object.keys(unknown).length === 0
  return isKnown ? (input as StoredSessionInput) : undefined
}

/** The next run of a cron schedule or of a retry policy also has an earlier run, and it has the first one's input. */
function hasContinuedItself(): boolean {
  const { continuedFromExecutionRunId, cronSchedule, attempt } = workflowInfo()
  return continuedFromExecutionRunId !== undefined && !cronSchedule && attempt === 1
}

/** The check runs to its end even when somebody cancels: a session that was stored by then is closed like any other. */
export async function receiveOrder(
  order: unknown,
  show: (change: { readonly phase: string }) => void,
): Promise<ReceivedOrder> {
  show({ phase: 'checking the order' })
  if (workflowInfo().cronSchedule) {
    throw refusal('bad_input', [
      'a session has no cron schedule: start it by a schedule of Temporal (temporal schedule)',
    ])
  }
  const { createSession } = proxyHomeActivities(undefined, 'check the order')
  const outcome = await CancellationScope.nonCancellable(() => createSession({ order }))
  if (outcome.kind === 'refused') throw refusal(outcome.code, outcome.problems)
  if (outcome.kind === 'answered') show({ phase: `${outcome.summary.status} ${outcome.summary.sessionId}` })
  if (outcome.kind === 'created') {
    show({ phase: 'opening' })
    upsertMemo({ [SESSION_MEMO]: outcome.sessionId })
    const FixRepository = toRepositoryAttribute(outcome.repository)
    upsertKnownAttributes(outcome.attributes, { FixSession: outcome.sessionId, FixStatus: 'pending', FixRepository })
  }
  return outcome
}

function refusal(type: ErrorCode, problems: readonly string[]): ApplicationFailure {
  return ApplicationFailure.create({ type, message: problems.join('\n'), details: [problems], nonRetryable: true })
}
