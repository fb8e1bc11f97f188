// The limits of a session and of each of its issues. Once a limit is reached, no agent call begins, and a running one gets no further
// turn. Gates on what had passed by then are exempt, so that it can be committed.
import { z } from 'zod'
import {
  calculateIssueSpending,
  calculateSpending,
  formatDollars,
  formatTokens,
  type MeteredCall,
  type Spending,
} from './spending.ts'

const Money = z.number().positive()
const Tokens = z.number().int().positive()

export const Budgets = z.strictObject({
  session_usd: Money.nullable(),
  session_tokens: Tokens.nullable(),
  session_seconds: z
    .number()
    .positive()
    .max(366 * 86_400)
    .nullable(),
  issue_usd: Money.nullable(),
  issue_tokens: Tokens.nullable(),
})
export type Budgets = z.infer<typeof Budgets>

export const BudgetName = z.enum(['session_usd', 'session_tokens', 'session_seconds', 'issue_usd', 'issue_tokens'])
export type BudgetName = z.infer<typeof BudgetName>

export interface ReachedLimit {
  readonly limit: BudgetName
  readonly detail: string
}

/** The most that the next agent call may spend; absent if nothing limits it. */
export interface RemainingBudget {
  readonly usd?: number | undefined
  readonly tokens?: number | undefined
}

const COMMITTED_ADVICE = 'what had passed is committed; the same command again goes on from there'
const LOST_ADVICE =
  'what had passed could not be judged without the rest, so not all of it is committed; the same command again goes on from what is'

/** The reason for an end without the advice on how to go on, which is given once and not for each issue. */
export function stripAdvice(detail: string): string {
  return detail.replace(`: ${COMMITTED_ADVICE}`, '').replace(`: ${LOST_ADVICE}`, '')
}

/** Replaces the advice when the gates could not be run on what had passed without the rest: then not all of it is committed. */
export function withLossNotice(detail: string, reason: string): string {
  const ended = stripAdvice(detail)
  if (ended === detail) return detail
  return `${[...new Set([ended, stripAdvice(reason)])].join('; ')}: ${LOST_ADVICE}`
}

export const SESSION_TIME_OVER: ReachedLimit = {
  limit: 'session_seconds',
  detail: `the session's time is over (budgets.session_seconds): ${COMMITTED_ADVICE}`,
}

/** Less than this buys nothing. */
const MIN_USD = 0.000_001

export function isIssueLimit(limit: BudgetName | undefined): boolean {
  return limit === 'issue_usd' || limit === 'issue_tokens'
}

export function findReachedSessionLimit(budgets: Budgets, calls: readonly MeteredCall[]): ReachedLimit | undefined {
  const spent = calculateSpending(calls)
  const { session_usd: usd, session_tokens: tokens } = budgets
  const words = describeReachedLimit(spent, usd, tokens)
  if (words === undefined) return undefined
  const limit = words.of === 'usd' ? 'session_usd' : 'session_tokens'
  return { limit, detail: `the session has spent ${words.text} (budgets.${limit}): ${COMMITTED_ADVICE}` }
}

export function findReachedIssueLimit(
  budgets: Budgets,
  calls: readonly MeteredCall[],
  code: string,
): ReachedLimit | undefined {
  const { issue_usd: usd, issue_tokens: tokens } = budgets
  const words = describeReachedLimit(calculateIssueSpending(calls, code), usd, tokens)
  if (words === undefined) return undefined
  const limit = words.of === 'usd' ? 'issue_usd' : 'issue_tokens'
  return { limit, detail: `${code} has spent ${words.text} (budgets.${limit}): no further attempt` }
}

/** The limits of the issues that may spend no more, by code. */
export function findReachedIssueLimits(
  budgets: Budgets,
  calls: readonly MeteredCall[],
  codes: readonly string[],
): ReadonlyMap<string, ReachedLimit> {
  const found = codes.flatMap((code) => {
    const reached = findReachedIssueLimit(budgets, calls, code)
    return reached ? [[code, reached] as const] : []
  })
  return new Map(found)
}

/** What the running calls of other lanes may spend, by their keys. */
export type ReservedBudgets = ReadonlyMap<string, RemainingBudget>

/**
 * An even share, for each lane that still wants one, of what the session neither has spent nor has set aside for running calls; capped so
 * that an even share of it exceeds no issue's own rest. Without issues only the session counts.
 */
export function computeRemainingBudget(
  budgets: Budgets,
  calls: readonly MeteredCall[],
  codes: readonly string[] = [],
  {
    lanes = 1,
    reserved = new Map(),
  }: { readonly lanes?: number | undefined; readonly reserved?: ReservedBudgets } = {},
): RemainingBudget {
  const session = addReserved(calls, reserved)
  const issues = codes.map((code) => calculateIssueSpending(calls, code))
  const least = (limit: number | null, whole: number | null, of: (spent: Spending) => number): number | undefined => {
    const lefts = [
      ...(whole === null ? [] : [(whole - of(session)) / lanes]),
      ...(limit === null ? [] : issues.map((spent) => codes.length * (limit - of(spent)))),
    ]
    return lefts.length === 0 ? undefined : Math.max(Math.min(...lefts), 0)
  }
  return {
    usd: least(budgets.issue_usd, budgets.session_usd, ({ cost_usd }) => cost_usd),
    tokens: least(budgets.issue_tokens, budgets.session_tokens, ({ tokens }) => tokens),
  }
}

/** Whether no call can be made with it. */
export function isTooSmall({ usd, tokens }: RemainingBudget): boolean {
  return (usd !== undefined && usd < MIN_USD) || (tokens !== undefined && tokens < 1)
}

/** A running call counts with what it may spend, or with more if it has. */
function addReserved(calls: readonly MeteredCall[], reserved: ReservedBudgets): Spending {
  const { cost_usd, tokens } = calculateSpending(calls)
  const more = [...reserved].map(([key, share]) => {
    const counted = calculateSpending(calls.filter((call) => call.key === key && call.state === 'started'))
    return {
      usd: Math.max((share.usd ?? 0) - counted.cost_usd, 0),
      tokens: Math.max((share.tokens ?? 0) - counted.tokens, 0),
    }
  })
  const sum = (part: 'usd' | 'tokens') => more.reduce((all, each) => all + each[part], 0)
  return { cost_usd: cost_usd + sum('usd'), tokens: tokens + sum('tokens') }
}

/** A limit in dollars counts only known costs; tokens are always known. */
function describeReachedLimit(spent: Spending, usd: number | null, tokens: number | null) {
  if (usd !== null && usd - spent.cost_usd < MIN_USD) return { of: 'usd', text: formatDollars(spent, usd) } as const
  if (tokens !== null && spent.tokens >= tokens)
    return { of: 'tokens', text: formatTokens(spent.tokens, tokens) } as const
  return undefined
}
