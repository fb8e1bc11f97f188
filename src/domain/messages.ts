// What people tell a session, as it comes from outside: by signal or by update, from our own doors or from Temporal's own tools.
// Strict about every key, so that a misspelt one is told and not ignored. `by` and `from` say who decided, and from where.
import { z } from 'zod'
import { IssueCode } from './issue.ts'

// In the workflow's sandbox there is no compiling at run time; zod need not try.
z.config({ jitless: true })

const Who = {
  by: z.string().trim().min(1).max(200).optional(),
  from: z.string().trim().min(1).max(200).optional(),
}
const Words = z.string().trim().min(1).max(8000)
/** Which decision is meant, where several may come after another; without it the one that is open. */
const Request = z.string().min(1).max(200).optional()

export const QuestionId = z.string().regex(/^.{1,120}-q\d{1,4}$/, 'must be the id of a question, as in FUNC-001-q1')

export const AnswerMessage = z
  .strictObject({
    answers: z.record(QuestionId, Words).default({}),
    /** Go on without answers to what is still open. */
    skip: z.boolean().default(false),
    ...Who,
  })
  .refine(({ answers, skip }) => skip || Object.keys(answers).length > 0, 'it holds no answer, and does not skip')
export type AnswerMessage = z.infer<typeof AnswerMessage>

export const PlanEdit = z.strictObject({
  /** Issues that are left out. */
  drop: z.array(IssueCode).max(500).default([]),
  /** The order in which issues are to be planned; those that are not named come after them, as they were. */
  order: z.array(IssueCode).max(500).default([]),
  /** What the fixer should know about an issue. */
  notes: z.record(IssueCode, Words).default({}),
})
export type PlanEdit = z.infer<typeof PlanEdit>

export const PlanMessage = z
  .strictObject({
    request: Request,
    decision: z.enum(['approve', 'edit', 'reject']),
    reason: Words.optional(),
    edit: PlanEdit.optional(),
    ...Who,
  })
  .refine(({ decision, reason }) => decision !== 'reject' || reason !== undefined, 'a rejection needs a reason')
  .refine(({ decision, edit }) => decision !== 'edit' || edit !== undefined, 'it says nothing that is to be changed')
  .refine(({ decision, edit }) => decision !== 'reject' || edit === undefined, 'a plan is rejected or edited, not both')
export type PlanMessage = z.infer<typeof PlanMessage>

export const ScopeMessage = z
  .strictObject({
    request: Request,
    decision: z.enum(['approve', 'reject']),
    /** Only these of the files in question, or, ending in a slash, all of those in a folder. Without it: all of them. */
    paths: z.array(z.string().min(1).max(4096)).min(1).max(500).optional(),
    /** How long an approval holds: for this time only, for the session, or for all later sessions of the repository. */
    remember: z.enum(['once', 'session', 'repository']).default('session'),
    reason: Words.optional(),
    ...Who,
  })
  .refine(({ decision, paths }) => decision === 'approve' || paths === undefined, 'a rejection names no paths: it is for all')
export type ScopeMessage = z.infer<typeof ScopeMessage>

export const CancelMessage = z.strictObject({ reason: Words.optional(), ...Who })
export type CancelMessage = z.infer<typeof CancelMessage>

/** By the name of the signal and of the update. */
export const MESSAGES = {
  answerClarification: AnswerMessage,
  decidePlan: PlanMessage,
  decideScope: ScopeMessage,
  cancel: CancelMessage,
} as const
export type MessageName = keyof typeof MESSAGES
export type MessageOf<Name extends MessageName> = z.infer<(typeof MESSAGES)[Name]>
/** As it is written: everything with a default may be left out. */
export type MessageInput<Name extends MessageName> = z.input<(typeof MESSAGES)[Name]>
