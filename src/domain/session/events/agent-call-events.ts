// A run of an agent's CLI, and what the agent does meanwhile.
import { z } from 'zod'
import { Sandbox } from '../../settings/sandbox-level.ts'
import { CallFailure } from '../failure.ts'
import { defineEvent, eventData } from './define-event.ts'
import { Texts } from './limit-lists.ts'

/** Which attempt of which call, by whom, and the issues that share its cost. */
export const CallIdentity = z.object({ role: z.string(), call: z.string(), attempt: z.number(), codes: Texts })
export type CallIdentity = z.infer<typeof CallIdentity>

export const fixCallStarted = defineEvent(
  'fix_call_started',
  eventData({
    ...CallIdentity.shape,
    /** The call's question, if it is not the work on these issues. */
    about: z.string().optional(),
  }),
  ({ role, codes, about }) => `${role}: ${about ?? codes.join(', ')}`,
  (create) => (identity: CallIdentity, about?: string) =>
    create(`${identity.call}/${identity.attempt}/started`, { ...identity, about }),
)

const CallReport = z.object({
  model: z.string(),
  models_tried: Texts,
  cost_usd: z.number().optional(),
  cost_partial: z.literal(true).optional(),
  tokens: z.object({
    inputTokens: z.number().optional(),
    outputTokens: z.number().optional(),
    contextTokens: z.number().optional(),
  }),
  durationMs: z.number(),
  sandbox: Sandbox.optional(),
  notes: Texts,
  failure: CallFailure.optional(),
})

export const fixCallCompleted = defineEvent(
  'fix_call_completed',
  eventData({ ...CallIdentity.shape, ...CallReport.shape }),
  ({ role, failure }) => (failure ? `${role} failed: ${failure.detail}` : `${role} answered`),
  (create) => (identity: CallIdentity, report: z.infer<typeof CallReport>) =>
    create(`${identity.call}/${identity.attempt}/completed`, { ...identity, ...report }),
)

const Streamed = eventData({
  kind: z.enum(['text', 'tool', 'retry', 'model_switched']),
  text: z.string(),
  /** The file of a tool's use, from the root of the repository on. */
  path: z.string().optional(),
  /** So many lines before this one are only in the transcript. */
  left_out: z.number().int().positive().optional(),
})

/** `number`: 1-based place among the lines of the call. */
export type StreamedLine = z.infer<typeof Streamed> & {
  readonly call: string
  readonly attempt: number
  readonly number: number
}

export const fixIssueStreaming = defineEvent(
  'fix_issue_streaming',
  Streamed,
  ({ text }) => text,
  (create) =>
    ({ call, attempt, number, ...line }: StreamedLine) =>
      create(`${call}/${attempt}/stream/${number}`, line),
)
