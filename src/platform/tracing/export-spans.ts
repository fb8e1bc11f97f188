// Sends spans to an OTLP receiver over HTTP as JSON. Tracing holds up and fails nothing: what can't be sent after some tries is dropped.
import { setTimeout as delay } from 'node:timers/promises'

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string | undefined
  readonly name: string
  readonly kind: 'server' | 'internal'
  readonly startMs: number
  readonly endMs: number
  /** Ids, names and numbers: no text of people or agents. */
  readonly attributes: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
  /** What kind of failure it ended with. */
  readonly failure?: string | undefined
}

export interface SpanExporter {
  export(span: Span): void
  /** Sends what waits; returns after some seconds at the latest. */
  close(): Promise<void>
}

export interface ExporterOptions {
  /** The whole address, as http://localhost:4318/v1/traces. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly version: string
  /** Called once for each batch that is given up. */
  readonly onDropped: (reason: string, spans: number) => void
}

const SEND_EVERY_MS = 1_000
const MAX_BATCH = 500
const MAX_WAITING = 5_000
const TRIES = 4
const FIRST_PAUSE_MS = 500
const ANSWER_WITHIN_MS = 10_000
const CLOSE_WITHIN_MS = 3_000

export function createSpanExporter(options: ExporterOptions): SpanExporter {
  let waiting: Span[] = []
  let sending: Promise<void> | undefined
  const closing = new AbortController()
  const send = (): Promise<void> => {
    sending ??= sendWaiting().finally(() => {
      sending = undefined
    })
    return sending
  }
  async function sendWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH)
      const problem = await postBatch(batch, options, closing.signal)
      if (problem !== undefined) options.onDropped(problem, batch.length)
    }
  }
  const timer = setInterval(() => void send(), SEND_EVERY_MS).unref()
  return {
    export(span) {
      waiting.push(span)
      if (waiting.length <= MAX_WAITING) return
      waiting = waiting.slice(MAX_BATCH)
      options.onDropped('more spans than can be sent', MAX_BATCH)
    },
    async close() {
      clearInterval(timer)
      const late = delay(CLOSE_WITHIN_MS, undefined, { ref: false }).then(() => closing.abort())
      await Promise.race([late, send().then(send)])
    },
  }
}

/** Returns why the batch was given up. */
async function postBatch(spans: readonly Span[], options: ExporterOptions, end: AbortSignal) {
  const { url, headers, version } = options
  const body = JSON.stringify(toRequest(spans, version))
  let problem = ''
  for (let round = 1; round <= TRIES && !end.aborted; round += 1) {
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_WITHIN_MS), end])
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body, signal }
      const response = await fetch(url, { ...init, redirect: 'error' })
      await response.body?.cancel()
      if (response.ok) return undefined
      problem = `it answered ${response.status}`
      // It will not take the same again.
      if (response.status < 500 && response.status !== 429) return problem
    } catch (error) {
      problem = (error as Error).message
    }
    const pause = FIRST_PAUSE_MS * 4 ** (round - 1)
    if (round < TRIES) await delay(pause, undefined, { signal: end, ref: false }).catch(() => undefined)
  }
  return problem
}

const KINDS = { internal: 1, server: 2 } as const
const STATUS_ERROR = 2

function toRequest(spans: readonly Span[], version: string): object {
  const resource = { attributes: toAttributes({ 'service.name': 'fixwright', 'service.version': version }) }
  const scope = { name: 'fixwright', version }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(toOtlp) }] }] }
}

function toOtlp({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, failure }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(Math.max(startMs, endMs)),
    attributes: toAttributes(attributes),
    status: failure === undefined ? {} : { code: STATUS_ERROR, message: failure },
  }
}

function toNanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms * 1000)) * 1000n}`
}

function toAttributes(attributes: Span['attributes']): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  )
}

function toValue(value: string | number | boolean | readonly string[]): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: `${value}` } : { doubleValue: value }
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } }
}
