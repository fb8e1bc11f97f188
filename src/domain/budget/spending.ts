// What a session has spent, added up from its calls: of the whole session, and of one issue, whose part of a call is an even share
// among the issues that the call was about. What is not known is not zero: it is said.
import type { AgentCallRecord } from '../session/records.ts'

/** All that it takes to add up calls. */
export type MeteredCall = Pick<AgentCallRecord, 'state' | 'codes' | 'cost_usd' | 'cost_partial' | 'tokens'>

/** The names are those of the records and events that hold it. */
export interface Spending {
  /** The part that is known. */
  readonly cost_usd: number
  /** Some of it cost something that nobody knows. */
  readonly cost_partial?: true
  readonly tokens: number
}

export const NOTHING_SPENT: Spending = { cost_usd: 0, tokens: 0 }

export function calculateSpending(calls: readonly MeteredCall[]): Spending {
  return calls.map((call) => toCallShare(call, 1)).reduce(addSpending, NOTHING_SPENT)
}

export function calculateIssueSpending(calls: readonly MeteredCall[], code: string): Spending {
  return calls
    .flatMap((call) => (call.codes.includes(code) ? [toCallShare(call, call.codes.length)] : []))
    .reduce(addSpending, NOTHING_SPENT)
}

/** One that runs is not over: what it has told so far counts, and that it will cost more is no gap. */
function toCallShare({ state, cost_usd, cost_partial, tokens = {} }: MeteredCall, among: number): Spending {
  const isGap = cost_partial || (state !== 'started' && cost_usd === undefined)
  return {
    cost_usd: (cost_usd ?? 0) / among,
    ...(isGap ? { cost_partial: true } : {}),
    tokens: ((tokens.input ?? 0) + (tokens.output ?? 0)) / among,
  }
}

function addSpending(one: Spending, other: Spending): Spending {
  return {
    cost_usd: one.cost_usd + other.cost_usd,
    ...(one.cost_partial || other.cost_partial ? { cost_partial: true } : {}),
    tokens: one.tokens + other.tokens,
  }
}

/** For a record or an event: tokens are counted whole. */
export function roundTokens({ tokens, ...spent }: Spending): Spending {
  return { ...spent, tokens: Math.round(tokens) }
}

/** `1.20 USD`, `1.20 of 5.00 USD`; `1.20 + ? USD` where a part is not known, `? USD` where nothing is. */
export function formatDollars(
  { cost_usd, cost_partial }: { readonly cost_usd: number; readonly cost_partial?: boolean | undefined },
  limit?: number | null,
): string {
  const known = cost_usd.toFixed(2)
  const spent = !cost_partial ? known : cost_usd === 0 ? '?' : `${known} + ?`
  return `${spent}${limit === undefined || limit === null ? '' : ` of ${limit.toFixed(2)}`} USD`
}

/** `12,345 tokens`, `12,345 of 50,000 tokens`. */
export function formatTokens(tokens: number, limit?: number | null): string {
  const spent = groupDigits(tokens)
  return `${spent}${limit === undefined || limit === null ? '' : ` of ${groupDigits(limit)}`} tokens`
}

/** Both, each with the session's limit where there is one. */
export function formatCost(
  spent: {
    readonly cost_usd: number
    readonly cost_partial?: boolean | undefined
    readonly tokens?: number | undefined
  },
  budgets?: { readonly session_usd: number | null; readonly session_tokens: number | null } | null,
): string {
  const tokens = spent.tokens ? [formatTokens(spent.tokens, budgets?.session_tokens)] : []
  return [formatDollars(spent, budgets?.session_usd), ...tokens].join(', ')
}

function groupDigits(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}
