// An issue is a finding that a session may be asked to fix. TRANSITIONS alone says which status may follow which.
import { z } from 'zod'

export const Severity = z.enum(['critical', 'high', 'medium', 'low', 'info'])
export type Severity = z.infer<typeof Severity>

export const IssueStatus = z.enum(['open', 'in_progress', 'resolved', 'failed', 'merged', 'ignored', 'duplicate'])
export type IssueStatus = z.infer<typeof IssueStatus>

/** Codes become parts of file names, refs and trailers, so they keep to an alphabet that is safe in all of them. */
export const IssueCode = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/, 'must be 1 to 80 letters, digits, dots, dashes or underscores')
  .refine((code) => !code.includes('..') && !code.endsWith('.') && !code.endsWith('.lock'), {
    error: 'must not hold "..", nor end in "." or ".lock"',
  })
  // Records are keyed by code, and every JavaScript object already has these names.
  .refine((code) => !(code in {}), { error: 'must not be a name that every object of JavaScript has' })

export const Issue = z.object({
  issue_id: z.string(),
  issue_code: IssueCode,
  title: z.string(),
  description: z.string(),
  file: z.string(),
  /** `45` or `45-67`, as reviewers write it. */
  line: z.string().optional(),
  severity: Severity,
  category: z.string().optional(),
  suggested_fix: z.string().optional(),
  estimated_effort: z.number().int().min(1).max(5).optional(),
  estimated_files_count: z.number().int().min(1).optional(),
})
export type Issue = z.infer<typeof Issue>

/** Who changes a status: a session, a person, or the merge of a pull request. */
export type Mover = 'session' | 'person' | 'merge'

const TRANSITIONS: Readonly<Record<IssueStatus, Partial<Record<IssueStatus, readonly Mover[]>>>> = {
  open: {
    in_progress: ['session'],
    // The pull request that was closed without being merged is open again, or was merged after all.
    resolved: ['person', 'merge'],
    ignored: ['session', 'person'],
    duplicate: ['person'],
  },
  in_progress: {
    open: ['session'],
    resolved: ['session'],
    failed: ['session'],
    ignored: ['session'],
  },
  failed: {
    open: ['session', 'person'],
    in_progress: ['session'],
    resolved: ['person'],
    ignored: ['person'],
    duplicate: ['person'],
  },
  // A session reopens it when the commit is gone because somebody threw the branch away; so does the close of its pull request.
  resolved: { merged: ['merge'], open: ['session', 'person', 'merge'] },
  ignored: { open: ['person'] },
  duplicate: { open: ['person'] },
  merged: {},
}

export interface Transition {
  readonly from: IssueStatus
  readonly to: IssueStatus
  readonly mover: Mover
  readonly note?: string | undefined
}

/** Why this transition is not allowed, worded for the person who asked for it; undefined if it is allowed. */
export function transitionProblem({ from, to, mover, note }: Transition): string | undefined {
  if (from === to) return undefined
  const movers = TRANSITIONS[from][to]
  if (!movers?.includes(mover)) {
    const open = allowedNext(from, mover)
    const choice = open.length > 0 ? `it may become ${open.join(', ')}` : 'it can no longer change'
    return `an issue that is ${from} can't be set to ${to} by a ${mover}: ${choice}`
  }
  if (mover === 'person' && from === 'open' && to === 'resolved' && !note?.trim()) {
    return 'an open issue is set to resolved by a person only with a note that says how it was resolved'
  }
  return undefined
}

export function allowedNext(from: IssueStatus, mover: Mover): readonly IssueStatus[] {
  return IssueStatus.options.filter((to) => TRANSITIONS[from][to]?.includes(mover))
}

/** Whether a session takes up the issue: one that is done is not fixed a second time. */
export function isActionable(status: IssueStatus): boolean {
  return status === 'open' || status === 'failed' || status === 'in_progress'
}

/** `fix_code` shows the beginning of the change in lists; the whole diff is an artifact. */
export const FIX_CODE_LIMIT = 500
