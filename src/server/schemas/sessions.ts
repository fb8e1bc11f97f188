// What the API says of sessions, from the domain's own schemas.
import { z } from '@hono/zod-openapi'
import { IssueCode } from '../../domain/issue/issue.ts'
import { EventFields } from '../../domain/session/events/define-event.ts'
import { EventType } from '../../domain/session/events/index.ts'
import { SessionOverview, SessionState } from '../../domain/session/session-state.ts'
import { AgentCallRecord, SessionArtifact } from '../../domain/session/store-records.ts'

export const SessionListItem = SessionOverview.extend({}).openapi('SessionListItem')
export const Questions = SessionState.pick({ request: true, questions: true }).openapi('Questions')
export const PlanInForce = SessionState.pick({ request: true, plan: true }).openapi('PlanInForce')
export const OpenScopeReply = SessionState.pick({ request: true, scope: true }).openapi('OpenScopeReply')
export const SessionDetail = SessionState.extend({}).openapi('SessionDetail')

/** What an event holds besides depends on its type: docs/events.md has them all. */
export const EventData = EventFields.extend({ type: EventType, data: z.looseObject({}) })

export const HintData = z.object({ session_id: z.string(), seq: z.number().int().nonnegative() })

/** The data of a frame are a line of JSON. */
const toData = (name: string) =>
  z.string().openapi({
    contentMediaType: 'application/json',
    contentSchema: { $ref: `#/components/schemas/${name}` },
  } as object)

export const EventFrame = z
  .object({ id: z.string(), event: EventType, data: toData('SessionEvent') })
  .openapi('EventFrame')

export const HintFrame = z.object({ event: z.literal('session'), data: toData('SessionHint') }).openapi('HintFrame')

export const SessionCall = AgentCallRecord.omit({ marker: true, result: true }).openapi('AgentCall')
export const Artifact = SessionArtifact.extend({}).openapi('Artifact')

export const IssueDiffs = z
  .object({
    items: z.array(
      z.object({
        source: z.enum(['commit', 'attempt', 'glimpse']),
        files: z.array(z.string()).readonly(),
        shared_with: z.array(IssueCode).readonly(),
        text: z.string(),
        is_cut: z.boolean(),
      }),
    ),
  })
  .openapi('IssueDiffs')

/** The workflow's answer. `sent`: no worker answered in time, and the event log will show what became of it. */
export const MessageOutcomeReply = z
  .object({ kind: z.enum(['taken', 'repeated', 'sent']), response: z.string().optional() })
  .openapi('MessageOutcomeReply')
