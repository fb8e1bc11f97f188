// What people tell a session, as it comes from outside: by signal or by update, from our own doors or from Temporal's own tools.
// Strict about every key, so that a misspelt one is told and not ignored. `by` and `from` say who decided, and from where.
// The schemas are not exported: all sessions of a worker share this module, and Temporal freezes whatever it exports.
import { z } from 'zod'

// In the workflow's sandbox there is no compiling at run time; zod need not try.
z.config({ jitless: true })

const Who = {
  by: z.string().trim().min(1).max(200).optional(),
  from: z.string().trim().min(1).max(200).optional(),
}
const Words = z.string().trim().min(1).max(8000)
/** All texts of a message together: they are carried in the session's history, again and again. */
export const MAX_MESSAGE_TOTAL = 64_000
const TOO_LONG = `it is more than ${MAX_MESSAGE_TOTAL} characters in all`
/** Which decision is meant, where several may come after another; without it the one that is open. */
const Request = z.string().min(1).max(200).optional()

/** Whether there is such an issue is not for a schema to say. */
const Code = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/)
  .refine((code) => !(code in {}))
const QuestionId = z.string().refine(isQuestionId, 'must be the id of a question, as in FUNC-001-q1')

const AnswerMessage = z
  .strictObject({
    answers: z
      .record(QuestionId, Words)
      .refine((answers) => sumLengths(answers) <= MAX_MESSAGE_TOTAL, TOO_LONG)
      .default({}),
    /** Go on without answers to what is still open. */
    skip: z.boolean().default(false),
    /** Which questions are skipped, where others may have come after them. */
    request: Request,
    ...Who,
  })
  .refine(({ answers, skip }) => skip || Object.keys(answers).length > 0, 'it holds no answer, and does not skip')
export type AnswerMessage = z.infer<typeof AnswerMessage>

const PlanEdit = z
  .strictObject({
    /** Issues that are left out. */
    drop: z.array(Code).max(500).default([]),
    /** The order in which issues are to be planned; those that are not named come after them, as they were. */
    order: z.array(Code).max(500).default([]),
    /** What the fixer should know about an issue. */
    notes: z
      .record(Code, Words)
      .refine((notes) => sumLengths(notes) <= MAX_MESSAGE_TOTAL, TOO_LONG)
      .default({}),
  })
  .refine(({ order }) => new Set(order).size === order.length, 'the order names an issue twice')
export type PlanEdit = z.infer<typeof PlanEdit>

export function hasChanges({ drop, order, notes }: PlanEdit): boolean {
  return drop.length + order.length + Object.keys(notes).length > 0
}

const PlanMessage = z
  .strictObject({
    request: Request,
    decision: z.enum(['approve', 'edit', 'reject']),
    reason: Words.optional(),
    edit: PlanEdit.optional(),
    ...Who,
  })
  .refine(({ decision, reason }) => decision !== 'reject' || reason !== undefined, 'a rejection needs a reason')
  .refine(
    ({ decision, edit }) => decision !== 'edit' || (edit !== undefined && hasChanges(edit)),
    'it says nothing that is to be changed',
  )
  .refine(({ decision, edit }) => decision !== 'reject' || edit === undefined, 'a plan is rejected or edited, not both')
export type PlanMessage = z.infer<typeof PlanMessage>

/** As git names it, and as the shell completes it: `./docs/` is `docs/`. */
const NamedPath = z
  .string()
  .overwrite((path) => path.replace(/\/{2,}/g, '/').replace(/^(\.\/)+(?=.)/, ''))
  .min(1)
  .max(4096)

const ScopeMessage = z
  .strictObject({
    request: Request,
    decision: z.enum(['approve', 'reject']),
    /** Only these of the files in question, or, ending in a slash, all of those in a folder. Without it: all of them. */
    paths: z
      .array(NamedPath)
      .min(1)
      .max(500)
      .refine((paths) => sumLengths(paths) <= MAX_MESSAGE_TOTAL, TOO_LONG)
      .optional(),
    /** How long an approval holds: for this time only, for the session, or for all later sessions of the repository. */
    remember: z.enum(['once', 'session', 'repository']).default('session'),
    reason: Words.optional(),
    ...Who,
  })
  .refine(
    ({ decision, paths }) => decision === 'approve' || paths === undefined,
    'a rejection names no paths: it is for all',
  )
export type ScopeMessage = z.infer<typeof ScopeMessage>

/** To stop needs no words: a signal without anything in it will do. */
const CancelMessage = z.strictObject({ reason: Words.optional(), ...Who }).prefault({})
export type CancelMessage = z.infer<typeof CancelMessage>

export function isQuestionId(text: string): boolean {
  return /^.{1,120}-q\d{1,4}$/.test(text)
}

export function sumLengths(texts: Readonly<Record<string, string>> | readonly string[]): number {
  return Object.values(texts).reduce((sum, { length }) => sum + length, 0)
}

/** By the name of the signal and of the update. */
const MESSAGES = {
  answerClarification: AnswerMessage,
  decidePlan: PlanMessage,
  decideScope: ScopeMessage,
  cancel: CancelMessage,
} as const
export type MessageName = keyof typeof MESSAGES
export type MessageOf<Name extends MessageName> = z.infer<(typeof MESSAGES)[Name]>
/** As it is written: everything with a default may be left out. */
export type MessageInput<Name extends MessageName> = z.input<(typeof MESSAGES)[Name]>

export const MESSAGE_NAMES: readonly MessageName[] = ['answerClarification', 'decidePlan', 'decideScope', 'cancel']

export type ParsedMessage<Name extends MessageName> =
  | { readonly kind: 'read'; readonly message: MessageOf<Name> }
  | { readonly kind: 'refused'; readonly reason: string }

export function parseMessage<Name extends MessageName>(name: Name, input: unknown): ParsedMessage<Name> {
  const parsed = MESSAGES[name].safeParse(input)
  if (parsed.success) return { kind: 'read', message: parsed.data as MessageOf<Name> }
  const problems = parsed.error.issues.slice(0, 5).map((issue) => {
    // Of a key that is wrong it says only that it is; why is one level below.
    const why = issue.code === 'invalid_key' ? issue.issues.map(({ message }) => message).join(', ') : issue.message
    return `${issue.path.join('.').slice(0, 200) || 'it'}: ${why.slice(0, 200)}`
  })
  return { kind: 'refused', reason: problems.join('; ') }
}
