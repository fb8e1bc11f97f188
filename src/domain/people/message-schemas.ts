// Schemas of people's messages, sent by signal or update with our tools or Temporal's. They refuse unknown keys, so that a misspelt key
// is not ignored. They are not exported: all sessions of a worker share this module, and Temporal freezes its exports.
import { z } from 'zod'
import type { MessageRefusal } from '../errors/error-codes.ts'
import type { SenderSeal } from './sender-seal.ts'

// The workflow's sandbox allows no compiling at run time; zod need not try.
z.config({ jitless: true })

/** Who decided, and from which tool: a claim, unless a door of ours sealed it. */
const Who = {
  by: z.string().trim().min(1).max(200).optional(),
  from: z.string().trim().min(1).max(200).optional(),
  seal: z
    .strictObject({ at: z.number().int(), signature: z.string().regex(/^[0-9a-f]{128}$/) })
    .optional() satisfies z.ZodType<SenderSeal | undefined>,
}
const Words = z.string().trim().min(1).max(8000)
/** Characters of all texts of a message together: the session's history carries them again and again. */
export const MAX_MESSAGE_TOTAL = 64_000
const TOO_LONG = `it is more than ${MAX_MESSAGE_TOTAL} characters in all`
/** The request that the decision is about, if others may follow it; by default the open one. */
const Request = z.string().min(1).max(200).optional()

/** A schema can't know whether there is such an issue. */
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
    /** Goes on without answers to the open questions. */
    skip: z.boolean().default(false),
    /** The round of questions that is skipped, if another may have followed. */
    request: Request,
    ...Who,
  })
  .refine(({ answers, skip }) => skip || Object.keys(answers).length > 0, 'it holds no answer, and does not skip')
export type AnswerMessage = z.infer<typeof AnswerMessage>

const PlanEdit = z
  .strictObject({
    /** Issues to leave out. */
    drop: z.array(Code).max(500).default([]),
    /** Issues to plan first, in this order; the others follow in their old order. */
    order: z.array(Code).max(500).default([]),
    /** Notes for the fixer, by issue. */
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

/** Normalises a path as the shell completes it to git's spelling: `./docs/` becomes `docs/`. */
const NamedPath = z
  .string()
  .overwrite((path) => path.replace(/\/{2,}/g, '/').replace(/^(\.\/)+(?=.)/, ''))
  .min(1)
  .max(4096)

const ScopeMessage = z
  .strictObject({
    request: Request,
    decision: z.enum(['approve', 'reject']),
    /** The files that are approved; a path that ends in a slash stands for all files in that folder. By default all. */
    paths: z
      .array(NamedPath)
      .min(1)
      .max(500)
      .refine((paths) => sumLengths(paths) <= MAX_MESSAGE_TOTAL, TOO_LONG)
      .optional(),
    /** How long an approval holds: this time only, for the session, or for all later sessions of the repository. */
    remember: z.enum(['once', 'session', 'repository']).default('session'),
    reason: Words.optional(),
    ...Who,
  })
  .refine(
    ({ decision, paths }) => decision === 'approve' || paths === undefined,
    'a rejection names no paths: it is for all',
  )
export type ScopeMessage = z.infer<typeof ScopeMessage>

/** Cancelling needs no words: an empty signal will do. */
const CancelMessage = z.strictObject({ reason: Words.optional(), ...Who }).prefault({})
export type CancelMessage = z.infer<typeof CancelMessage>

const PauseMessage = z.strictObject({ reason: Words.optional(), ...Who }).prefault({})
const ResumeMessage = z.strictObject(Who).prefault({})

export function isQuestionId(text: string): boolean {
  return /^.{1,120}-q\d{1,4}$/.test(text)
}

export function sumLengths(texts: Readonly<Record<string, string>> | readonly string[]): number {
  return Object.values(texts).reduce((sum, { length }) => sum + length, 0)
}

/** Keyed by the name of the signal and of the update. */
const MESSAGES = {
  answerClarification: AnswerMessage,
  decidePlan: PlanMessage,
  decideScope: ScopeMessage,
  cancel: CancelMessage,
  pause: PauseMessage,
  resume: ResumeMessage,
} as const
export type MessageName = keyof typeof MESSAGES
export type MessageOf<Name extends MessageName> = z.infer<(typeof MESSAGES)[Name]>
/** As senders write it: keys with a default may be left out. */
export type MessageInput<Name extends MessageName> = z.input<(typeof MESSAGES)[Name]>

/** A function, as the schemas themselves are not exported. */
export function findMessageSchema<Name extends MessageName>(name: Name): (typeof MESSAGES)[Name] {
  return MESSAGES[name]
}

export const MESSAGE_NAMES: readonly MessageName[] = [
  'answerClarification',
  'decidePlan',
  'decideScope',
  'cancel',
  'pause',
  'resume',
]

export type ParsedMessage<Name extends MessageName> =
  | { readonly kind: 'read'; readonly message: MessageOf<Name> }
  | MessageRefusal

export function parseMessage<Name extends MessageName>(name: Name, input: unknown): ParsedMessage<Name> {
  const parsed = MESSAGES[name].safeParse(input)
  if (parsed.success) return { kind: 'read', message: parsed.data as MessageOf<Name> }
  const problems = parsed.error.issues.slice(0, 5).map((issue) => {
    // For an invalid key zod's message says only that it is invalid; the reason is one level below.
    const why = issue.code === 'invalid_key' ? issue.issues.map(({ message }) => message).join(', ') : issue.message
    return `${issue.path.join('.').slice(0, 200) || 'it'}: ${why.slice(0, 200)}`
  })
  return { kind: 'refused', code: 'message_invalid', reason: problems.join('; ') }
}
