// Where a session stands in a trace of its caller (W3C Trace Context). It is data of the session, so every host and every retry has the same.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'

const TraceId = z.string().regex(/^(?!0+$)[0-9a-f]{32}$/)
const SpanId = z.string().regex(/^(?!0+$)[0-9a-f]{16}$/)

export const TraceContext = z.object({
  trace_id: TraceId,
  /** Of what has this context itself. */
  span_id: SpanId,
  parent_span_id: SpanId.optional(),
  /** Whether the caller wants the trace to be kept. */
  sampled: z.boolean(),
})
export type TraceContext = z.infer<typeof TraceContext>

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Undefined if the header is none, or not as the standard has it: then a trace begins anew. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, trace_id, span_id, flags = '0', more] = TRACEPARENT.exec(header?.trim() ?? '') ?? []
  // Only a later version may say more.
  if (more !== undefined && header?.trim().startsWith('00')) return undefined
  const sampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED
  return TraceContext.safeParse({ trace_id, span_id, sampled }).data
}

/** What happens within `parent`; without one, the beginning of a trace. */
export function createChildTrace(parent: TraceContext | undefined): TraceContext {
  const span_id = randomBytes(8).toString('hex')
  if (parent === undefined) return { trace_id: randomBytes(16).toString('hex'), span_id, sampled: true }
  return { trace_id: parent.trace_id, span_id, parent_span_id: parent.span_id, sampled: parent.sampled }
}
