// A workflow gets its session by the id of a stored one, or from an order, which the first activity turns into a session. Anybody may
// start a workflow with anything: unusable input ends it with the reason, and never fails its tasks.
import { ApplicationFailure } from '@temporalio/common'
import { CancellationScope, upsertMemo, workflowInfo } from '@temporalio/workflow'
import {
  type CreateSessionOutcome,
  SESSION_MEMO,
  type StoredSessionInput,
  toRepositoryAttribute,
} from '../domain/protocol/index.ts'
import { proxyHomeActivities } from './temporal/activity-options.ts'
import { upsertKnownAttributes } from './temporal/search-attributes-and-details.ts'

export type ReceivedOrder = Exclude<CreateSessionOutcome, { readonly kind: 'refused' }>

/** Undefined if the input is to be read as an order. Carried state is accepted only from an earlier run. */
export function toStoredSession(input: unknown): StoredSessionInput | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const { sessionId, homeQueue, carried, ...unknown } = input as Record<string, unknown>
  const isKnown =
    typeof sessionId === 'string' &&
    sessionId !== '' &&
    (homeQueue === undefined || typeof homeQueue === 'string') &&
    (carried === undefined || workflowInfo().continuedFromExecutionRunId !== undefined) &&
    Object.keys(unknown).length === 0
  return isKnown ? (input as StoredSessionInput) : undefined
}

/** The check runs to its end even when somebody cancels: a session that was stored by then is closed like any other. */
export async function receiveOrder(order: unknown): Promise<ReceivedOrder> {
  const { createSession } = proxyHomeActivities(undefined, 'check the order')
  const outcome = await CancellationScope.nonCancellable(() => createSession({ order }))
  if (outcome.kind === 'refused') {
    const { code: type, problems } = outcome
    throw ApplicationFailure.create({ type, message: problems.join('\n'), details: [problems], nonRetryable: true })
  }
  if (outcome.kind === 'created') {
    upsertMemo({ [SESSION_MEMO]: outcome.sessionId })
    const FixRepository = toRepositoryAttribute(outcome.repository)
    upsertKnownAttributes(outcome.attributes, { FixStatus: 'pending', FixRepository })
  }
  return outcome
}
