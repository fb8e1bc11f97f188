// Where spans go: the setting, else the variables that OpenTelemetry has for it.

export interface SpanReceiver {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Undefined if nobody named one: then there are no spans. */
export function findSpanReceiver(endpoint: string | null, env: Environment): SpanReceiver | undefined {
  const base = endpoint ?? (env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined)
  const whole = endpoint === null ? env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || undefined : undefined
  const url = whole ?? (base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/traces`)
  if (url === undefined || !/^https?:$/.test(parseProtocol(url))) return undefined
  const headers = env.OTEL_EXPORTER_OTLP_TRACES_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS || ''
  return { url, headers: parseHeaders(headers) }
}

function parseProtocol(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}

/** As `api-key=secret,tenant=a%20b`. */
function parseHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [, name, value] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
      return name === undefined || value === undefined ? [] : [[name.toLowerCase(), decode(value)]]
    }),
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
