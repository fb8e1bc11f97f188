// How a workflow comes to its session: by the name of one that lies in a store, or by an order, of which the first activity makes one.
// Anybody may start a workflow with anything: what can't be used ends it with the reason, and never fails its tasks.
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

/** Undefined where it is to be read as an order. What an earlier run carries is believed only of an earlier run. */
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

/** Looked at to its end also where somebody cancels meanwhile: a session that was put down by then is closed as any other. */
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
