// How a start of any kind of session is answered: with the session's stream, or at once with its address.
import type { z } from '@hono/zod-openapi'
import { FixwrightError, RefusedError } from '../../app/errors.ts'
import type { StartOutcome } from '../../app/start/start-session.ts'
import type { Api, ApiContext, ServerContext } from '../context.ts'
import { jsonContent } from '../define-route.ts'
import { streamSession } from '../events/stream-session.ts'
import { asksForEvents } from '../gate/accepts.ts'
import { REPLAYED_HEADER } from '../gate/idempotency.ts'
import { ApiProblem } from '../problem.ts'
import { StartReply } from '../schemas/fix.ts'
import { EventFrame } from '../schemas/sessions.ts'

const STARTS = [
  ...['/api/fix/start', '/api/fix/re-fix'],
  ...['/api/review/start', '/api/review-fix/start', '/api/review-pr/start'],
]

export const START_RESPONSES = {
  200: {
    description: 'the events of the session where event streams are accepted, else a result that there is already',
    content: { 'application/json': { schema: StartReply }, 'text/event-stream': { schema: EventFrame } },
  },
  202: jsonContent(StartReply, 'the session has begun, or was joined; Location is its address'),
}

export function failStart(outcome: Extract<StartOutcome, { kind: 'refused' | 'blocked' }>): never {
  if (outcome.kind === 'blocked') throw new FixwrightError(outcome.code, outcome.reason)
  const { code, problems } = outcome
  // Issues of the store that the repository no longer fits: nothing is wrong with the request.
  if (code === 'findings_invalid') {
    const errors = problems.map((detail) => ({ pointer: '', detail }))
    throw new ApiProblem(409, code, `nothing was changed: ${problems.join('; ')}`, { errors })
  }
  throw new RefusedError(code, problems)
}

interface Started {
  readonly outcome: StartOutcome
  /** What the start says besides. */
  readonly notes: string[]
}

export function answerStart(c: ApiContext, { outcome, notes }: Started): Response {
  if (outcome.kind === 'refused' || outcome.kind === 'blocked') return failStart(outcome)
  if (outcome.kind === 'done') {
    const { result } = outcome
    const { session_id, skipped } = result
    // Where nothing was to be done there is no session.
    if (skipped === undefined) c.header('Location', toAddress(session_id))
    return c.json({ session_id, joined: skipped === undefined, notes, result }, 200)
  }
  return answerBegun(c, { session_id: outcome.sessionId, joined: outcome.kind === 'joined', notes })
}

/** Where it is streamed, the stream begins with the session's first event; a client that loses it goes on at the session's own stream. */
export function answerBegun(c: ApiContext, reply: z.infer<typeof StartReply>): Response {
  c.header('Location', toAddress(reply.session_id))
  return c.json(reply, 202)
}

function toAddress(sessionId: string): string {
  return `/api/sessions/${sessionId}`
}

/**
 * Answers a start with the events of its session where the client asks for them. It comes before idempotency keys, so that a start that is
 * sent again streams the session of the first one.
 */
export function addStartStreams(api: Api, server: ServerContext): void {
  for (const path of STARTS) {
    api.use(path, async (c, next) => {
      await next()
      if (!c.res.ok || !c.res.headers.has('Location') || !asksForEvents(c.req.header('accept'))) return
      const headers = Object.fromEntries(
        ['Location', REPLAYED_HEADER].flatMap((name) => {
          const value = c.res.headers.get(name)
          return value === null ? [] : [[name, value] as const]
        }),
      )
      const { session_id } = (await c.res.json()) as z.infer<typeof StartReply>
      c.res = undefined
      c.res = await streamSession(server, c, session_id, { after: 0, headers })
    })
  }
}
