// A session waits and goes on, and is told what it can't take.
import { z } from 'zod'
import type { DecisionSource } from '../../people/validate-messages.ts'
import { WaitingKind } from '../session.ts'
import type { MessageRecord } from '../store-records.ts'
import { type AtStep, defineEvent, eventData } from './define-event.ts'

export const fixWaiting = defineEvent(
  'fix_waiting',
  eventData({
    kind: WaitingKind,
    reason: z.string(),
    /** Milliseconds since the epoch. */
    since: z.number(),
    until: z.number().optional(),
    /** The command that answers, where a person can. */
    answer: z.string().optional(),
  }),
  ({ reason }) => reason,
  (create) => create,
)

/** How a request to people ended. */
export const Resolution = z.enum(['answered', 'skipped', 'approve', 'edit', 'reject', 'deadline', 'cancelled'])
export type Resolution = z.infer<typeof Resolution>

const Resolved = z.object({
  kind: z.enum(['clarification', 'plan', 'scope']),
  resolution: Resolution,
  by: z.string(),
  from: z.string(),
})

export const fixResumed = defineEvent(
  'fix_resumed',
  eventData({
    /** The reason of the wait that is over. */
    reason: z.string(),
    /** Where people were asked: how that ended. */
    resolved: Resolved.optional(),
  }),
  ({ reason, resolved }) => (resolved ? describeResolved(resolved) : `goes on: ${reason}`),
  (create) =>
    ({ stepId, reason, resolved }: ResumeFacts) => {
      if (!resolved) return create(stepId, { reason })
      const { kind, resolution, decidedBy } = resolved
      return create(stepId, { reason, resolved: { kind, resolution, by: decidedBy.by, from: decidedBy.from } })
    },
)

export interface ResumeFacts extends AtStep {
  readonly reason: string
  readonly resolved?:
    | (Pick<z.infer<typeof Resolved>, 'kind' | 'resolution'> & { readonly decidedBy: DecisionSource })
    | undefined
}

function describeResolved({ kind, resolution, by, from }: z.infer<typeof Resolved>): string {
  if (resolution === 'deadline') return `nobody decided in time about the ${kind}`
  if (resolution === 'cancelled') return `the session was cancelled by ${by} (${from}) while the ${kind} was open`
  return `the ${kind} was decided by ${by} (${from}): ${resolution}`
}

export const fixMessageRefused = defineEvent(
  'fix_message_refused',
  eventData({
    name: z.string(),
    outcome: z.enum(['taken', 'repeated', 'refused']),
    says: z.string(),
    by: z.string(),
    from: z.string(),
    at: z.string(),
  }),
  ({ name, outcome, says, by, from }) =>
    `${name} by ${by}, from ${from}: ${outcome === 'refused' ? 'refused, ' : ''}${says}`,
  (create) =>
    ({ key, name, outcome, response, by, from, at }: MessageRecord) =>
      create(key, { name, outcome, says: response, by, from, at: new Date(at).toISOString() }),
)
