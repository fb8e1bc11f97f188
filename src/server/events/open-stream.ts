// One stream of server-sent events. Nothing is queued for a slow reader: a write is awaited, and a reader that takes nothing for too long
// is cut off; it comes back with the number of the last event that it has.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { isTokenValid } from '../../app/access/tokens.ts'
import type { ApiContext, ServerContext } from '../context.ts'
import { SECURITY_HEADERS } from '../gate/headers.ts'

export interface EventStream {
  /** Aborts when the reader is gone or the stream must end. */
  readonly signal: AbortSignal
  write(bytes: Uint8Array): Promise<void>
}

export interface StreamOptions {
  readonly server: Pick<ServerContext, 'app' | 'timing' | 'closing'>
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers at once and goes on writing: `produce` runs until it returns or the signal aborts. */
export function openStream(
  c: ApiContext,
  { server, headers }: StreamOptions,
  produce: (stream: EventStream) => Promise<void>,
): Response {
  const response = c.env.outgoing as ServerResponse
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Request-Id': c.get('requestId'),
    ...headers,
  })
  if (c.req.method === 'HEAD') {
    response.end()
    return RESPONSE_ALREADY_SENT
  }
  void runStream(response, server, c.get('caller').tokenId, produce)
  return RESPONSE_ALREADY_SENT
}

async function runStream(
  response: ServerResponse,
  { app, timing, closing }: StreamOptions['server'],
  tokenId: string,
  produce: (stream: EventStream) => Promise<void>,
): Promise<void> {
  const gone = new AbortController()
  const over = AbortSignal.timeout(timing.maxMs)
  const refused = new AbortController()
  const signal = AbortSignal.any([gone.signal, refused.signal, over, closing])
  response.once('close', () => gone.abort())
  response.on('error', () => gone.abort())
  // A heartbeat has its own timer: it says that the stream lives, not that the session gets on.
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain && !gone.signal.aborted) response.write(': \n\n')
    // A token may be revoked or expire meanwhile. Where the store can't be read, the next heartbeat looks again.
    isTokenValid(app, tokenId).then(
      (isValid) => isValid || refused.abort(),
      () => undefined,
    )
  }, timing.heartbeatMs)
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (gone.signal.aborted || response.write(bytes)) return
    const stalled = AbortSignal.timeout(timing.stalledMs)
    await once(response, 'drain', { signal: AbortSignal.any([gone.signal, stalled]) }).catch(() => response.destroy())
  }
  try {
    await write(Buffer.from('retry: 2000\n: \n\n'))
    await produce({ signal, write })
    if (over.aborted) await write(Buffer.from(': come back\n\n'))
    response.end()
  } catch {
    // The reader comes back and reads on; an end in good order would tell it that there is nothing more.
    response.destroy()
  } finally {
    clearInterval(heartbeat)
  }
}
