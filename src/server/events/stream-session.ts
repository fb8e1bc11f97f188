// Streams a session's events: from where the reader says, to the terminal one.
import { getLastEvent, isTerminalEvent } from '../../app/session/watch-session.ts'
import type { ApiContext, ServerContext } from '../context.ts'
import { openStream } from './open-stream.ts'

export async function streamSession(
  server: ServerContext,
  c: ApiContext,
  sessionId: string,
  { after, headers }: { readonly after: number; readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const last = await getLastEvent(server.app, sessionId)
  // A browser that gets this does not come back.
  if (last !== undefined && isTerminalEvent(last) && after >= last.seq) return c.body(null, 204)
  return openStream(c, { server, ...(headers ? { headers } : {}) }, async (stream) => {
    const session = await server.hub.follow(sessionId)
    try {
      let seen = after
      while (!stream.signal.aborted) {
        const frames = await session.read(seen)
        for (const { seq, bytes, isLast } of frames) {
          await stream.write(bytes)
          seen = seq
          if (isLast) return
        }
        if (frames.length === 0) await session.waitForMore(seen, stream.signal)
      }
    } finally {
      session.leave()
    }
  })
}

/** Hints at what changed in any session; no data, and nothing is repeated: who was away reads anew what it shows. */
export function streamHints(server: ServerContext, c: ApiContext): Response {
  return openStream(c, { server }, async (stream) => {
    // At most one hint a session waits for a slow reader.
    const changed = new Map<string, number>()
    let wake: () => void = () => undefined
    let failure: Error | undefined
    const leave = await server.hub.watchAll({
      onChanges(changes) {
        for (const { session_id, seq } of changes) changed.set(session_id, seq)
        wake()
      },
      onFailure(error) {
        failure = error
        wake()
      },
    })
    stream.signal.addEventListener('abort', () => wake(), { once: true })
    try {
      while (!stream.signal.aborted) {
        for (const [session_id, seq] of changed) {
          changed.delete(session_id)
          await stream.write(Buffer.from(`event: session\ndata: ${JSON.stringify({ session_id, seq })}\n\n`))
        }
        if (failure !== undefined) throw failure
        if (changed.size === 0 && !stream.signal.aborted) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    } finally {
      leave()
    }
  })
}
