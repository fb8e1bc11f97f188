// Makes spans of the worker's activities, and of a session and its agent calls when it has ended. The store has the trace of each session,
// so nothing travels in Temporal's headers, and no workflow and no recorded history knows of it.
import { createHash, randomBytes } from 'node:crypto'
import { activityInfo } from '@temporalio/activity'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AgentCallRecord } from '../../domain/session/store-records.ts'
import type { TraceContext } from '../../domain/session/trace-context.ts'
import type { Span, SpanExporter } from '../../platform/tracing/export-spans.ts'
import type { Store } from '../../store/store.ts'

interface ActivityFacts {
  readonly sessionId?: unknown
  readonly stepId?: unknown
  readonly codes?: unknown
}

type Activity = (input: never) => Promise<unknown>

interface TracingPorts {
  readonly store: Store
  readonly exporter: SpanExporter
}

/** The last activity of every session. */
const CLOSING = 'closeSession'

export function traceActivities<Activities extends object>(activities: Activities, ports: TracingPorts): Activities {
  const traced = Object.entries(activities).map(([name, run]: [string, Activity]) => [
    name,
    (input: never) => traceActivity(name, input, () => run(input), ports),
  ])
  return Object.fromEntries(traced)
}

async function traceActivity(
  name: string,
  input: ActivityFacts,
  run: () => Promise<unknown>,
  { store, exporter }: TracingPorts,
): Promise<unknown> {
  const { sessionId, stepId, codes } = input
  const session = typeof sessionId === 'string' ? await store.sessions.get(sessionId).catch(() => undefined) : undefined
  const trace = session?.trace
  if (session === undefined || !trace?.sampled) return await run()
  const startMs = Date.now()
  const end = (failure?: string) =>
    exporter.export({
      traceId: trace.trace_id,
      spanId: randomBytes(8).toString('hex'),
      parentSpanId: trace.span_id,
      name,
      kind: 'internal',
      startMs,
      endMs: Date.now(),
      attributes: {
        'fixwright.session_id': session.session_id,
        'fixwright.step_id': typeof stepId === 'string' ? stepId : undefined,
        'fixwright.issue_codes': Array.isArray(codes) ? codes.map(String) : undefined,
        'temporal.attempt': activityInfo().attempt,
      },
      failure,
    })
  try {
    const result = await run()
    end()
    if (name === CLOSING) await exportSession(store, exporter, session.session_id, trace).catch(() => undefined)
    return result
  } catch (error) {
    end(error instanceof Error ? error.name : 'error')
    throw error
  }
}

/** Said again by a retry, the spans are the same. */
async function exportSession(
  store: Store,
  exporter: SpanExporter,
  sessionId: string,
  trace: TraceContext,
): Promise<void> {
  const [session, calls] = await Promise.all([
    store.sessions.get(sessionId),
    store.agentCalls.listForSession(sessionId),
  ])
  if (session?.ended_at === undefined) return
  for (const call of calls)
    if (call.finished_at !== undefined) exporter.export(toCallSpan(call, call.finished_at, trace))
  exporter.export(toSessionSpan(session, session.ended_at, trace))
}

function toSessionSpan(session: SessionRecord, endedAt: string, trace: TraceContext): Span {
  const { session_id, kind, status, repository_id, issues_requested, issues_fixed, cost_usd } = session
  return {
    traceId: trace.trace_id,
    spanId: trace.span_id,
    parentSpanId: trace.parent_span_id,
    name: `${kind} session`,
    kind: 'internal',
    startMs: Date.parse(session.started_at),
    endMs: Date.parse(endedAt),
    attributes: {
      'fixwright.session_id': session_id,
      'fixwright.repository_id': repository_id,
      'fixwright.status': status,
      'fixwright.issues_requested': issues_requested,
      'fixwright.issues_fixed': issues_fixed,
      'fixwright.cost_usd': cost_usd,
    },
    failure: status === 'failed' ? (session.ending?.class ?? status) : undefined,
  }
}

function toCallSpan(call: AgentCallRecord, finishedAt: string, trace: TraceContext): Span {
  const { session_id, key, attempt, role, model, state, codes, cost_usd, tokens = {} } = call
  const spanId = createHash('sha256').update(`${session_id} ${key} ${attempt}`).digest('hex').slice(0, 16)
  return {
    traceId: trace.trace_id,
    spanId,
    parentSpanId: trace.span_id,
    name: `agent ${role}`,
    kind: 'internal',
    startMs: Date.parse(call.started_at),
    endMs: Date.parse(finishedAt),
    attributes: {
      'fixwright.session_id': session_id,
      'fixwright.step_id': key,
      'fixwright.issue_codes': codes,
      'fixwright.attempt': attempt,
      'fixwright.cost_usd': cost_usd,
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': tokens.input,
      'gen_ai.usage.output_tokens': tokens.output,
    },
    failure: state === 'lost' ? 'lost' : undefined,
  }
}
