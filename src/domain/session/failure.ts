// Failures of agent calls and sessions, and their consequences. All that depends on the kind of failure (issue, session, last event,
// exit status, whether an iteration is used up) is read from one table, which the docs print.
import { z } from 'zod'
import { BudgetName } from '../budget/limits.ts'

export const FailureClass = z.enum([
  'verdict',
  'no_usable_work',
  'infrastructure',
  'limit',
  'billing',
  'access',
  'budget',
  'cancelled',
])
export type FailureClass = z.infer<typeof FailureClass>

/** A failure of an agent call, as its adapter reports it. `detail` is one line for a person. */
export const CallFailure = z.discriminatedUnion('class', [
  z.object({
    class: z.literal('no_usable_work'),
    reason: z.enum(['crash', 'timeout', 'unreadable', 'empty']),
    detail: z.string(),
  }),
  z.object({
    class: z.literal('limit'),
    reason: z.enum(['rate_limit', 'usage_limit', 'overloaded']),
    /** When the provider will serve again, in milliseconds since the epoch. */
    until: z.number().optional(),
    detail: z.string(),
  }),
  z.object({ class: z.literal('billing'), detail: z.string() }),
  z.object({
    class: z.literal('access'),
    detail: z.string(),
    /** The key or the sign-in is refused, which a person can mend meanwhile; a model that is not there stays away. */
    credentials: z.literal(true).optional(),
  }),
  z.object({
    class: z.literal('budget'),
    /** The one that was reached. */
    limit: BudgetName.optional(),
    detail: z.string(),
    /** Only the lane's share of the session's budget is used up, and the session has more. */
    isLaneShare: z.literal(true).optional(),
  }),
  z.object({
    class: z.literal('infrastructure'),
    detail: z.string(),
    /** A retry won't help: the CLI is missing, or too old for its options. */
    lasting: z.literal(true).optional(),
    /** Ended by a signal such as the kernel's memory killer sends: once is an accident, repeatedly is its own fault. */
    killed: z.literal(true).optional(),
  }),
])
export type CallFailure = Readonly<z.infer<typeof CallFailure>>

export interface Consequence {
  readonly meaning: string
  /** The status of an issue with this as its last problem. Only `failed` uses up an iteration. */
  readonly issue: 'failed' | 'open'
  /** The status of a session that this ends. */
  readonly session: 'partial' | 'failed' | 'cancelled'
  readonly event: 'fix_session_completed' | 'fix_session_error' | 'fix_billing_error' | 'fix_session_cancelled'
}

export const CONSEQUENCES: Readonly<Record<FailureClass, Consequence>> = {
  verdict: {
    meaning: 'a gate looked at the work and said no',
    issue: 'failed',
    session: 'partial',
    event: 'fix_session_completed',
  },
  no_usable_work: {
    meaning: 'the agent crashed, ran out of time, changed nothing or could not be understood',
    issue: 'failed',
    session: 'partial',
    event: 'fix_session_completed',
  },
  infrastructure: {
    meaning: 'a worker, git, the store or a provider failed; tried again apart, never charged to an issue',
    issue: 'open',
    session: 'failed',
    event: 'fix_session_error',
  },
  limit: {
    meaning: 'a provider asks to wait; the session waits, visibly, until the time it named (at most a day)',
    issue: 'open',
    session: 'failed',
    event: 'fix_session_error',
  },
  billing: {
    meaning: 'an account is out of credit; what passed is committed, the rest goes back to open',
    issue: 'open',
    session: 'failed',
    event: 'fix_billing_error',
  },
  access: {
    meaning: 'a provider refuses the key, the account or every model of the chain; only a person can mend that',
    issue: 'open',
    session: 'failed',
    event: 'fix_session_error',
  },
  budget: {
    meaning: 'the session spent what it may; what passed is committed, the rest is skipped',
    issue: 'open',
    session: 'partial',
    event: 'fix_session_completed',
  },
  cancelled: {
    meaning: 'a person stopped the session; what was committed stays, the attempt is taken back',
    issue: 'open',
    session: 'cancelled',
    event: 'fix_session_cancelled',
  },
}

/** The exit status of a command whose session ended so. */
export const SESSION_EXITS = { partial: 1, failed: 3, cancelled: 130 } as const
