// Bodies and replies of the fix endpoints, with the names of the source documents.
import { z } from '@hono/zod-openapi'
import { FixSessionResult } from '../../domain/session/session.ts'
import { PlanInForce, Questions } from './sessions.ts'

export const Id = z.string().min(1).max(200)
export const Text = z.string().trim().min(1).max(20_000).openapi({ pattern: '\\S' })

/** The keys of a record, which the document would leave out. */
const toKeys = (maxLength: number): object => ({ propertyNames: { type: 'string', minLength: 1, maxLength } })

/** A branch, tag or commit as git reads it. */
export const GitName = z
  .string()
  .min(1)
  .max(244)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: \p{Cc} needs a flag, which a pattern of the document can't have
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'has no control characters')

/** Settings by path, as orders may say them: docs/security.md. */
export const OrderedSettings = z.record(z.string().min(1).max(100), z.unknown()).openapi(toKeys(100))

/** Everything that a start may say besides which issues. */
const startOptions = {
  user_notes: Text.nullish(),
  use_existing_branch: z.boolean().default(false),
  branch: GitName.optional(),
  base: GitName.optional(),
  against: GitName.optional(),
  review: z.string().max(1_000_000).optional(),
  allow_dirty: z.boolean().default(false),
  force: z.boolean().default(false),
  settings: OrderedSettings.optional(),
}

const selection = { repository_id: Id, task_id: Id.optional(), issue_ids: z.array(Id).min(1).max(1000) }

export const StartBody = z
  .strictObject({ ...selection, ...startOptions, clarify_session_id: Id.nullish() })
  .openapi('StartFix')

export const ClarifyBody = z
  .strictObject({
    ...selection,
    ...startOptions,
    /** Null at first; then the one that the reply named. */
    session_id: Id.nullish(),
    answers: z.record(z.string().min(1).max(130), Text).nullish().openapi(toKeys(130)),
  })
  .openapi('ClarifyFix')

export const PlanBody = z.strictObject({ ...selection, ...startOptions, session_id: Id.nullish() }).openapi('PlanFix')

export const RefixBody = z
  .strictObject({ session_id: Id, issue_ids: z.array(Id).min(1).max(1000).optional(), user_notes: Text.nullish() })
  .openapi('Refix')

export const ClarificationReply = z
  .object({
    has_questions: z.boolean(),
    questions: Questions.shape.questions,
    message: z.string(),
    session_id: z.string(),
    ready_to_fix: z.boolean(),
  })
  .openapi('ClarificationReply')

export const PlannedReply = PlanInForce.extend({ session_id: z.string(), ready_to_fix: z.boolean() }).openapi(
  'PlannedReply',
)

export const StartReply = z
  .object({
    session_id: z.string(),
    /** True where a session already did this work. */
    joined: z.boolean(),
    notes: z.array(z.string()),
    /** Where nothing was left to do, or the same work was done within the hour. */
    result: FixSessionResult.optional(),
  })
  .openapi('StartReply')
