// The spans of the HTTP service: one for each request that changes something or belongs to a trace of its caller.
import type { Settings } from '../../domain/settings/schema.ts'
import { createSpanExporter, type SpanExporter } from '../../platform/tracing/export-spans.ts'
import { findSpanReceiver } from '../../platform/tracing/find-receiver.ts'
import { readPackageVersion } from '../../runtime/home/package-root.ts'
import type { AppContext } from '../context.ts'
import type { RequestLog } from './request-log.ts'

export type { SpanExporter } from '../../platform/tracing/export-spans.ts'

/** Undefined where nobody receives spans. */
export function openTracer(
  { env }: Pick<AppContext, 'env'>,
  { endpoint }: Settings['tracing'],
  log: Pick<RequestLog, 'noteDroppedSpans'>,
): SpanExporter | undefined {
  const receiver = findSpanReceiver(endpoint, env)
  if (receiver === undefined) return undefined
  return createSpanExporter({ ...receiver, version: readPackageVersion(), onDropped: log.noteDroppedSpans })
}
