// Tracks what becomes of each finding from round to round: open, fixed, blocked, deferred or dismissed. It is the one place that says when
// a finding is blocked. Every function returns a new tracker and drops nothing: the counts always add up to the number of findings.
import { z } from 'zod'

/** A deferred finding is tried again until it has so many attempts; then it is blocked. */
export const MAX_ATTEMPTS = 3

export const AttemptOutcome = z.enum(['fixed', 'deferred', 'blocked'])
export type AttemptOutcome = z.infer<typeof AttemptOutcome>

export const FixAttempt = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  outcome: AttemptOutcome,
  explanation: z.string(),
})
export type FixAttempt = Readonly<z.infer<typeof FixAttempt>>

/** `dismissed`: both models agree that it was never a defect. */
export type TrackedStatus = 'open' | AttemptOutcome | 'dismissed'

export interface TrackedFinding {
  readonly id: string
  readonly status: TrackedStatus
  readonly attempts: readonly FixAttempt[]
  /** Why it is blocked or dismissed. */
  readonly reason?: string | undefined
}

export interface Tracker {
  readonly tracked: readonly TrackedFinding[]
  readonly maxAttempts: number
}

/** With every finding open. */
export function startTracker(ids: readonly string[], maxAttempts = MAX_ATTEMPTS): Tracker {
  return { tracked: [...new Set(ids)].map((id) => ({ id, status: 'open', attempts: [] })), maxAttempts }
}

/** Whether nobody is asked about it again: it is decided, or it has had all its attempts. */
export function isExhausted({ status, attempts }: TrackedFinding, { maxAttempts }: Tracker): boolean {
  return status === 'blocked' || status === 'dismissed' || attempts.length >= maxAttempts
}

/**
 * Appends an attempt. Blocked and dismissed are final. What is fixed stays so: a worse attempt later never takes its place. A deferred
 * finding stays actionable until its last attempt.
 */
export function recordOutcome(tracker: Tracker, id: string, attempt: FixAttempt): Tracker {
  return change(tracker, id, (known) => {
    if (isExhausted(known, tracker)) return known
    const attempts = [...known.attempts, attempt]
    if (attempt.outcome === 'fixed' || known.status === 'fixed') return { ...known, attempts, status: 'fixed' }
    if (attempt.outcome === 'blocked')
      return { ...known, attempts, status: 'blocked', reason: `blocked: ${attempt.explanation}` }
    if (attempts.length < tracker.maxAttempts) return { ...known, attempts, status: 'deferred' }
    return { ...known, attempts, status: 'blocked', reason: describeGivingUp(attempts) }
  })
}

/** Blocks without an attempt, such as a finding whose file is gone. */
export function block(tracker: Tracker, id: string, reason: string): Tracker {
  return change(tracker, id, (known) => (isActionable(known) ? { ...known, status: 'blocked', reason } : known))
}

export function dismiss(tracker: Tracker, id: string, reason: string): Tracker {
  return change(tracker, id, (known) => (isActionable(known) ? { ...known, status: 'dismissed', reason } : known))
}

/** What a session made of a finding. */
export type FindingEnd =
  | { readonly kind: 'committed' }
  | { readonly kind: 'dismissed' }
  | { readonly kind: 'left'; readonly reason: string }

/** Fixed means committed: a fix that passed and did not get there is deferred. */
export function concludeTracker(tracker: Tracker, findEnd: (id: string) => FindingEnd): Tracker {
  const tracked = tracker.tracked.map((known): TrackedFinding => {
    const end = findEnd(known.id)
    if (end.kind !== 'left') return { ...known, status: end.kind === 'committed' ? 'fixed' : 'dismissed' }
    return {
      ...known,
      status: known.status === 'fixed' || known.status === 'dismissed' ? 'deferred' : known.status,
      reason: known.reason ?? end.reason,
    }
  })
  return { ...tracker, tracked }
}

const Count = z.number().int().nonnegative()
export const TrackerCounts = z.object({
  total: Count,
  fixed: Count,
  blocked: Count,
  deferred: Count,
  /** Open to the end: no round was left for them. */
  untried: Count,
  dismissed: Count,
})
export type TrackerCounts = z.infer<typeof TrackerCounts>

export function countTracked({ tracked }: Tracker): TrackerCounts {
  const count = (status: TrackedStatus): number => tracked.filter((each) => each.status === status).length
  return {
    total: tracked.length,
    fixed: count('fixed'),
    blocked: count('blocked'),
    deferred: count('deferred'),
    untried: count('open'),
    dismissed: count('dismissed'),
  }
}

function isActionable({ status }: TrackedFinding): boolean {
  return status === 'open' || status === 'deferred'
}

function change(tracker: Tracker, id: string, to: (known: TrackedFinding) => TrackedFinding): Tracker {
  return { ...tracker, tracked: tracker.tracked.map((each) => (each.id === id ? to(each) : each)) }
}

function describeGivingUp(attempts: readonly FixAttempt[]): string {
  const reasons = attempts.map(({ explanation }, index) => `${index + 1}. ${explanation || 'no reason given'}`)
  return `blocked after ${attempts.length} attempts: ${reasons.join('; ')}`
}
