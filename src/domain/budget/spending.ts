// Adds up what a session or an issue has spent. Issues share an agent call evenly. An unknown cost is marked, not taken for zero.
import type { AgentCallRecord } from '../session/store-records.ts'

export type MeteredCall = Pick<AgentCallRecord, 'key' | 'state' | 'codes' | 'cost_usd' | 'cost_partial' | 'tokens'>

/** The fields are named as in records and events. */
export interface Spending {
  readonly cost_usd: number
  /** A part of the cost is unknown. */
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

/** A running call counts with what it has reported so far; its cost to come is not an unknown part. */
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

/** For records and events, which hold whole tokens. */
export function roundTokens({ tokens, ...spent }: Spending): Spending {
  return { ...spent, tokens: Math.round(tokens) }
}

/** `1.20 USD`, `1.20 of 5.00 USD`; `1.20 + ? USD` if a part is unknown, `? USD` if all of it is. */
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

/** Dollars and tokens, each with the session's limit if there is one. */
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
