// What every route gets: the use cases of this home, the settings of the service, and who calls.
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { LoginCodes } from '../app/access/login-codes.ts'
import type { SpanExporter } from '../app/access/open-tracer.ts'
import type { RequestLog } from '../app/access/request-log.ts'
import type { AppContext } from '../app/context.ts'
import type { Settings } from '../domain/settings/schema.ts'
import type { ApiEnv } from './env.ts'
import type { EventHub } from './events/event-hub.ts'
import type { StreamTiming } from './events/stream-timing.ts'
import type { RateLimits } from './gate/rate-limits.ts'
import type { RequestTimes } from './metrics/request-times.ts'

export interface ServerContext {
  readonly app: AppContext
  readonly settings: Settings['server']
  readonly version: string
  readonly logins: LoginCodes
  readonly log: RequestLog
  readonly limits: RateLimits
  readonly requests: RequestTimes
  /** Undefined where nobody receives spans. */
  readonly tracer: SpanExporter | undefined
  readonly hub: EventHub
  readonly timing: StreamTiming
  /** Aborts when the service ends. */
  readonly closing: AbortSignal
}

export type Api = OpenAPIHono<ApiEnv>
export type ApiContext = Context<ApiEnv>

/** The use cases, signed by whoever calls. News of slow work goes to `onNote`. */
export function actAsCaller(
  { app }: Pick<ServerContext, 'app'>,
  c: Pick<ApiContext, 'get'>,
  onNote: (text: string) => void = () => undefined,
): AppContext {
  const sender = { by: c.get('caller').name, from: `HTTP, ${c.get('address')}` }
  return { ...app, sender, trace: c.get('trace'), onProgress: onNote }
}
