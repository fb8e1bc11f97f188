// Receives spans as OTLP over HTTP in JSON, as a collector does.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly seconds: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly failure?: string
}

export interface OtlpReceiver {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** Of each request that was taken. */
  readonly headers: readonly NodeJS.Dict<string | string[]>[]
  /** All that came, as it came. */
  text(): string
  /** The next requests get this status. */
  answerWith(...statuses: number[]): void
}

export async function startOtlpReceiver(t: TestContext): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const headers: NodeJS.Dict<string | string[]>[] = []
  const bodies: string[] = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const isOtlp = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json'
      const status = isOtlp ? (statuses.shift() ?? 200) : 404
      if (status === 200) {
        bodies.push(body)
        headers.push(request.headers)
        spans.push(...readSpans(JSON.parse(body)))
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    text: () => bodies.join('\n'),
    answerWith: (...next) => void statuses.push(...next),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a receiver looks into it as the protocol has it
function readSpans({ resourceSpans }: any): ReceivedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return resourceSpans.flatMap(({ scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above
    scopeSpans.flatMap(({ spans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: as above
      spans.map(({ attributes, startTimeUnixNano, endTimeUnixNano, status, ...span }: any) => ({
        ...span,
        seconds: Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e9,
        // biome-ignore lint/suspicious/noExplicitAny: as above
        attributes: Object.fromEntries(attributes.map(({ key, value }: any) => [key, Object.values(value)[0]])),
        ...(status.code === 2 ? { failure: status.message } : {}),
      })),
    ),
  )
}
