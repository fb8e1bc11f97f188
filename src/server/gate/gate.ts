// The one gate in front of every route. It answers before any code of a route runs, and on every path there is or is not.
import { randomUUID } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { authenticateToken, mayAct } from '../../app/access/tokens.ts'
import { createChildTrace, parseTraceparent } from '../../domain/session/trace-context.ts'
import type { ApiContext, ServerContext } from '../context.ts'
import { needsToken } from '../define-route.ts'
import type { ApiEnv, Caller } from '../env.ts'
import { ApiProblem } from '../problem.ts'
import { acceptsType } from './accepts.ts'
import { checkOrigin } from './check-origin.ts'
import type { KnownRoute, RouteMatch } from './find-route.ts'
import { SECURITY_HEADERS } from './headers.ts'

const MAX_BODY_BYTES = 1_048_576
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

type FindRoute = (method: string, path: string) => RouteMatch

export function createGate(server: ServerContext, findRoute: FindRoute): MiddlewareHandler<ApiEnv> {
  return async (c, next) => await enter(await admit(server, findRoute, c), c, next)
}

/** Headers and the record of every request, whatever became of it. */
export function createRecorder(server: ServerContext, findRoute: FindRoute): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const started = performance.now()
    const given = c.req.header('x-request-id')
    c.set('requestId', given !== undefined && /^[\w.-]{8,100}$/.test(given) ? given : randomUUID())
    const parent = parseTraceparent(c.req.header('traceparent'))
    c.set('trace', createChildTrace(parent))
    c.set('address', findAddress(c, server.settings.behind_proxy))
    await next()
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
    }
    c.res.headers.set('X-Request-Id', c.get('requestId'))
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
    const { status } = c.res
    const { method, path } = c.req
    const caller = c.get('caller') as Caller | undefined
    const command = c.get('command')
    const by = caller?.name ?? command?.by
    const entry = {
      request_id: c.get('requestId'),
      address: c.get('address'),
      method,
      path: path.slice(0, 500),
      status,
    }
    const tookMs = performance.now() - started
    const { trace_id } = c.get('trace')
    server.log.note({ ...entry, trace_id, by, took_ms: Math.round(tookMs) }, c.error)
    const found = findRoute(method, path)
    const route = found.kind === 'found' ? found.route.path : 'none'
    server.requests.note({ method, route, status, seconds: tookMs / 1000 })
    if (parent !== undefined || !SAFE_METHODS.has(method)) exportSpan(server, c, { route, tookMs })
    const isRefusal = status === 401 || status === 403 || status === 421
    if (SAFE_METHODS.has(method) && !(isRefusal && caller !== undefined)) return
    // Without a token anybody could fill the log.
    if (caller === undefined && command === undefined && status !== 200 && status !== 201) return
    const at = new Date().toISOString()
    const who = { ...(caller && { token_id: caller.tokenId }), ...(by && { by }) }
    const what = command && { path: `${entry.path}#${command.comment}` }
    await server.app.store.audit.add({ ...entry, ...what, ...who, at })
  }
}

/** What only reads makes a span only where its caller has a trace: a page that looks again and again has none. */
function exportSpan(
  { tracer }: ServerContext,
  c: ApiContext,
  { route, tookMs }: { readonly route: string; readonly tookMs: number },
): void {
  const { trace_id: traceId, span_id: spanId, parent_span_id: parentSpanId, sampled } = c.get('trace')
  if (tracer === undefined || !sampled) return
  const { method } = c.req
  const { status } = c.res
  const endMs = Date.now()
  tracer.export({
    ...{ traceId, spanId, parentSpanId },
    name: `${method} ${route}`,
    kind: 'server',
    startMs: endMs - tookMs,
    endMs,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'fixwright.request_id': c.get('requestId'),
    },
    failure: status >= 500 ? `${status}` : undefined,
  })
}

async function admit(server: ServerContext, findRoute: FindRoute, c: ApiContext): Promise<KnownRoute> {
  const { method, path } = c.req
  const header = (name: string) => c.req.header(name)
  checkOrigin(
    { host: header('host'), origin: header('origin'), fetchSite: header('sec-fetch-site') },
    server.settings.names,
  )
  const found = findRoute(method, path)
  const isPublic =
    found.kind === 'found' ? !needsToken(found.route.access) : found.kind === 'wrong_method' && found.isPublic
  if (isPublic) await server.limits.countRequest(c.get('address'))
  else await authenticate(server, c)
  if (found.kind === 'none') throw new ApiProblem(404, 'path_not_found', `there is nothing at ${path}`)
  if (found.kind === 'wrong_method') {
    throw new ApiProblem(405, 'method_not_allowed', `${path} does not take ${method}`, {
      headers: { Allow: found.allowed.join(', ') },
    })
  }
  const { route } = found
  if (needsToken(route.access) && !mayAct(c.get('caller').role, route.access)) {
    throw new ApiProblem(403, 'role_too_low', `this needs a token of the role ${route.access}`)
  }
  const { produces } = route
  if (produces !== undefined && !produces.some((type) => acceptsType(header('accept'), type))) {
    throw new ApiProblem(406, 'not_acceptable', `this answers as ${produces.join(' or ')}`)
  }
  return route
}

async function authenticate(server: ServerContext, c: ApiContext): Promise<void> {
  const { limits } = server
  const address = c.get('address')
  const text = readBearerToken(c)
  const token = await authenticateToken(server.app, text)
  if (token === undefined) {
    await limits.countRequest(address)
    if (text !== '') await limits.countFailedSignIn(address)
    throw new ApiProblem(
      401,
      'token_required',
      'this needs "Authorization: Bearer <token>" with a token that counts; "fixwright token create" makes one',
      { headers: { 'WWW-Authenticate': 'Bearer realm="fixwright"' } },
    )
  }
  c.set('caller', { tokenId: token.token_id, name: token.name, role: token.role })
  await limits.countRequest(token.token_id)
}

/** Empty where there is none. */
export function readBearerToken(c: Pick<ApiContext, 'req'>): string {
  return /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
}

async function enter({ method, maxBodyBytes = MAX_BODY_BYTES }: KnownRoute, c: ApiContext, next: () => Promise<void>) {
  if (SAFE_METHODS.has(method)) return await next()
  const [type = ''] = (c.req.header('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new ApiProblem(415, 'type_not_json', 'the Content-Type must be application/json', {
      headers: { Accept: 'application/json' },
    })
  }
  const onError = (): never => {
    throw new ApiProblem(413, 'body_too_large', `the body may have at most ${maxBodyBytes} bytes`)
  }
  await bodyLimit({ maxSize: maxBodyBytes, onError })(c, next)
}

/** A proxy adds the address it saw to the end of the list; what stands before it anybody may have written. */
function findAddress(c: ApiContext, isBehindProxy: boolean): string {
  const forwarded = isBehindProxy ? c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
  return forwarded || (c.env.incoming.socket.remoteAddress ?? 'unknown')
}
