// A session's spending and what is left of its budgets, read from the records of its calls, so that no restart resets it.
// Gap: a call that was lost with its worker counts only what it had reported, in dollars only if its model has a price.
import { EventEmitter, once } from 'node:events'
import {
  type BudgetName,
  computeRemainingBudget,
  findReachedIssueLimits,
  findReachedSessionLimit,
  isTooSmall,
  type ReachedLimit,
  type RemainingBudget,
  SESSION_TIME_OVER,
} from '../../domain/budget/limits.ts'
import { calculateIssueSpending, calculateSpending, roundTokens, type Spending } from '../../domain/budget/spending.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import { parseStepId } from '../../domain/session/step-id.ts'
import type { ActivityContext, Heartbeat, Session } from '../context.ts'

type SpendingContext = Pick<ActivityContext, 'store'>

export interface CallLimits {
  readonly maxBudgetUsd?: number | undefined
  readonly maxTokens?: number | undefined
  /** Milliseconds until the session's time is over; the workflow counts the time (`Heartbeat.endsAt`). */
  readonly leftMs?: number | undefined
}

interface BudgetedCall {
  readonly codes: readonly string[]
  /** Whether the budgets of the call's issues apply, or only the session's. */
  readonly isWork?: boolean | undefined
  readonly ignoresLimits?: boolean | undefined
}

export async function computeCallLimits(
  { store }: SpendingContext,
  { id, settings: { budgets } }: Session,
  { key, codes, isWork, ignoresLimits }: BudgetedCall & { readonly key: string },
  { endsAt, lanes, signal }: Heartbeat,
): Promise<{ readonly reached: ReachedLimit } | { readonly limits: CallLimits }> {
  if (ignoresLimits) return { limits: {} }
  for (;;) {
    if (endsAt !== undefined && Date.now() >= endsAt) return { reached: SESSION_TIME_OVER }
    const leftMs = endsAt === undefined ? undefined : endsAt - Date.now()
    if (Object.values(budgets).every((limit) => limit === null)) return { limits: { leftMs } }
    const before = new Map(listReserved(store, id))
    const calls = await store.agentCalls.listSpending(id)
    const ofIssues = isWork ? findReachedIssueLimits(budgets, calls, codes) : new Map<string, ReachedLimit>()
    const reached =
      findReachedSessionLimit(budgets, calls) ?? (ofIssues.size > 0 ? [...ofIssues.values()][0] : undefined)
    if (reached) return { reached }
    // A call may have ended since its spending was read: it counts with its share once more.
    const reserved = new Map([...before, ...listReserved(store, id)])
    reserved.delete(key)
    const share = computeRemainingBudget(budgets, calls, isWork ? codes : [], {
      lanes: countSharers(key, lanes, reserved.size),
      reserved,
    })
    if (reserved.size > 0 && isTooSmall(share)) {
      // The share of a call that ended meanwhile is free already, and no event tells of it again.
      const isAllRunning = [...before.keys()].every((each) => listReserved(store, id).has(each))
      if (isAllRunning) await once(RELEASED, id, { signal })
      continue
    }
    const { usd, tokens } = share
    if (lanes !== undefined) listReserved(store, id).set(key, share)
    return { limits: { maxBudgetUsd: usd, maxTokens: tokens && Math.max(Math.floor(tokens), 1), leftMs } }
  }
}

/** Lanes with a running call have their share. A call that is made again, for which one share was not enough, gets all that is free. */
function countSharers(key: string, lanes: number | undefined, running: number): number {
  const isAgain = parseStepId(key)?.parts.some(({ kind }) => kind === 'retry')
  return lanes === undefined || isAgain ? 1 : Math.max(lanes - running, 1)
}

type Reservations = Map<string, RemainingBudget>

/** Reservations of the calls that run in this process, by session. The calls of a lost worker run no more, so theirs may go with it. */
const RESERVED = new WeakMap<object, Map<string, Reservations>>()
const RELEASED = new EventEmitter().setMaxListeners(0)

function listReserved(store: object, sessionId: string): Reservations {
  const sessions = RESERVED.get(store) ?? new Map<string, Reservations>()
  RESERVED.set(store, sessions)
  const own = sessions.get(sessionId) ?? new Map<string, RemainingBudget>()
  sessions.set(sessionId, own)
  return own
}

/** To be called once the call's record says what it has spent. */
export function releaseReserved({ store }: SpendingContext, sessionId: string, key: string): void {
  const sessions = RESERVED.get(store)
  const own = sessions?.get(sessionId)
  own?.delete(key)
  if (own?.size === 0) sessions?.delete(sessionId)
  RELEASED.emit(sessionId)
}

/** Explains a call that ended on a limit, with the numbers of its record, which must be stored by now. */
export async function explainBudgetFailure(
  { store }: SpendingContext,
  { id, settings: { budgets } }: Session,
  { key, codes, isWork }: BudgetedCall & { readonly key: string },
  failure: CallFailure,
  { endsAt, lanes }: Heartbeat,
): Promise<CallFailure> {
  if (
    failure.class === 'no_usable_work' &&
    failure.reason === 'timeout' &&
    endsAt !== undefined &&
    Date.now() >= endsAt
  )
    return toBudgetFailure(SESSION_TIME_OVER)
  if (failure.class !== 'budget') return failure
  const calls = await store.agentCalls.listSpending(id)
  const [issue] = isWork ? findReachedIssueLimits(budgets, calls, codes).values() : []
  const reached = findReachedSessionLimit(budgets, calls) ?? issue
  if (reached) return toBudgetFailure(reached)
  const hasShare = lanes !== undefined && (budgets.session_usd !== null || budgets.session_tokens !== null)
  // A call that spends nothing would be made again for ever.
  const { cost_usd, tokens } = calculateSpending(calls.filter((call) => call.key === key))
  if (hasShare && failure.limit === undefined && cost_usd + tokens > 0) return { ...failure, isLaneShare: true }
  return { ...failure, limit: failure.limit ?? defaultBudgetName(isWork === true) }
}

export function toBudgetFailure(reached: ReachedLimit): CallFailure {
  return { class: 'budget', ...reached }
}

/** A CLI counts a little differently than we do and may end a call before our record reaches a limit. */
function defaultBudgetName(isWork: boolean): BudgetName {
  return isWork ? 'issue_usd' : 'session_usd'
}

export async function findOverBudgetIssues(
  { store }: SpendingContext,
  { id, settings: { budgets } }: Session,
  codes: readonly string[],
): Promise<Readonly<Record<string, string>> | undefined> {
  if (budgets.issue_usd === null && budgets.issue_tokens === null) return undefined
  const reached = findReachedIssueLimits(budgets, await store.agentCalls.listSpending(id), codes)
  return reached.size === 0 ? undefined : Object.fromEntries([...reached].map(([code, { detail }]) => [code, detail]))
}

/** The spending of an issue, for its result; an unknown cost is left out. */
export async function loadIssueSpending(
  { store }: SpendingContext,
  sessionId: string,
  code: string,
): Promise<Partial<Spending>> {
  const { cost_usd, ...spent } = roundTokens(
    calculateIssueSpending(await store.agentCalls.listSpending(sessionId), code),
  )
  return { ...(spent.cost_partial && cost_usd === 0 ? {} : { cost_usd }), ...spent }
}
