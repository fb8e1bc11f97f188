// What a session has spent, read from the record of its calls, so that no restart resets the meter; and what its next call may
// spend. Time is the workflow's to count: it says until when (`Beat.endsAt`).
// Gap: an attempt that was lost with its worker counts with what it had told by then, in dollars only where its model has a price.
import {
  type BudgetName,
  issuesReached,
  type Left,
  leftFor,
  type Reached,
  sessionReached,
  TIME_IS_OVER,
} from '../../domain/budget/limits.ts'
import { rounded, type Spent, spentOnIssue } from '../../domain/budget/spending.ts'
import type { NewEvent } from '../../domain/session/events.ts'
import type { CallFailure } from '../../domain/session/failure.ts'
import type { Session, Workshop } from '../context.ts'
import type { Beat } from '../heartbeat.ts'

type Shop = Pick<Workshop, 'store'>

/** The part of an agent's call that the budgets decide. */
export interface Limits {
  readonly maxBudgetUsd?: number | undefined
  readonly maxTokens?: number | undefined
  /** Milliseconds until the session's time is over. */
  readonly leftMs?: number | undefined
}

interface About {
  readonly codes: readonly string[]
  /** Whether the budgets of its issues count, or only the session's. */
  readonly isWork?: boolean | undefined
  readonly settles?: boolean | undefined
}

/** Says what was reached already, or what is left. */
export async function limitsFor(
  { store }: Shop,
  { id, settings: { budgets } }: Session,
  { codes, isWork, settles }: About,
  { endsAt }: Beat,
): Promise<{ readonly reached: Reached } | { readonly limits: Limits }> {
  if (settles) return { limits: {} }
  if (endsAt !== undefined && Date.now() >= endsAt) return { reached: TIME_IS_OVER }
  const leftMs = endsAt === undefined ? undefined : endsAt - Date.now()
  if (Object.values(budgets).every((limit) => limit === null)) return { limits: { leftMs } }
  const calls = await store.calls.spending(id)
  const ofIssues = isWork ? issuesReached(budgets, calls, codes) : new Map<string, Reached>()
  const reached = sessionReached(budgets, calls) ?? (ofIssues.size > 0 ? [...ofIssues.values()][0] : undefined)
  if (reached) return { reached }
  const { usd, tokens }: Left = leftFor(budgets, calls, isWork ? codes : [])
  return { limits: { maxBudgetUsd: usd, maxTokens: tokens && Math.max(Math.floor(tokens), 1), leftMs } }
}

/** Why a call ended that was ended by its budget: with the numbers that it led to, which have to be on record by now. */
export async function budgetFailure(
  { store }: Shop,
  { id, settings: { budgets } }: Session,
  { codes, isWork }: About,
  failure: CallFailure,
  { endsAt }: Beat,
): Promise<CallFailure> {
  if (
    failure.class === 'no_usable_work' &&
    failure.reason === 'timeout' &&
    endsAt !== undefined &&
    Date.now() >= endsAt
  )
    return asFailure(TIME_IS_OVER)
  if (failure.class !== 'budget') return failure
  const calls = await store.calls.spending(id)
  const [issue] = isWork ? issuesReached(budgets, calls, codes).values() : []
  const reached = sessionReached(budgets, calls) ?? issue
  return reached ? asFailure(reached) : { ...failure, limit: failure.limit ?? nearest(isWork === true) }
}

export function asFailure(reached: Reached): CallFailure {
  return { class: 'budget', ...reached }
}

/** A CLI counts a little differently than we do; whatever it was, no more is spent on it. */
function nearest(isWork: boolean): BudgetName {
  return isWork ? 'issue_usd' : 'session_usd'
}

/** Those of these issues that may spend no more, each with the reason. */
export async function spentIssues(
  { store }: Shop,
  { id, settings: { budgets } }: Session,
  codes: readonly string[],
): Promise<Readonly<Record<string, string>> | undefined> {
  if (budgets.issue_usd === null && budgets.issue_tokens === null) return undefined
  const reached = issuesReached(budgets, await store.calls.spending(id), codes)
  return reached.size === 0 ? undefined : Object.fromEntries([...reached].map(([code, { detail }]) => [code, detail]))
}

/** For the result of an issue. Nothing is said of a cost of which nothing is known. */
export async function spentFor({ store }: Shop, sessionId: string, code: string): Promise<Partial<Spent>> {
  const { cost_usd, ...spent } = rounded(spentOnIssue(await store.calls.spending(sessionId), code))
  return { ...(spent.cost_partial && cost_usd === 0 ? {} : { cost_usd }), ...spent }
}

/** The same events, with what the session has spent by then. */
export async function withTotals(
  { store }: Shop,
  sessionId: string,
  events: readonly NewEvent[],
): Promise<readonly NewEvent[]> {
  const total = await store.calls.spent(sessionId)
  return events.map((event) => ({ ...event, data: { ...event.data, total } }))
}
