// The service itself: health, readiness, version, the one-use login, tokens, and who did what.
import { z } from '@hono/zod-openapi'
import { createToken, listTokens, revokeToken } from '../../app/access/tokens.ts'
import { checkReadiness } from '../../app/instance/readiness.ts'
import { AccessToken, AuditRecord, Role, TokenName } from '../../domain/access/access-token.ts'
import { type Api, actAsCaller, type ServerContext } from '../context.ts'
import { parseCursor, toPage } from '../cursor.ts'
import { CursorParam, defineRoute, jsonBody, jsonContent, LimitParam, toPageSchema } from '../define-route.ts'
import { ApiProblem } from '../problem.ts'

const Token = AccessToken.omit({ hash: true })
  .extend({ state: z.enum(['valid', 'expired', 'revoked']) })
  .openapi('Token')
const NewToken = z.object({ token: Token, text: z.string() }).openapi('NewToken')
const Readiness = z.object({ ready: z.boolean(), store: z.boolean(), instance: z.boolean() }).openapi('Readiness')

const publicReading = { method: 'get' as const, access: 'public' as const, tags: ['service'] }
const adminWriting = { method: 'post' as const, access: 'admin' as const, tags: ['access'] }
const adminReading = { method: 'get' as const, access: 'admin' as const, tags: ['access'] }

export function addServiceRoutes(api: Api, server: ServerContext): void {
  api.openapi(
    defineRoute({
      ...publicReading,
      path: '/api/health',
      operationId: 'getHealth',
      summary: 'Whether the service runs',
      responses: { 200: jsonContent(z.object({ status: z.literal('ok') }), 'it runs') },
    }),
    (c) => c.json({ status: 'ok' as const }, 200),
  )
  api.openapi(
    defineRoute({
      ...publicReading,
      path: '/api/ready',
      operationId: 'getReadiness',
      summary: 'Whether sessions can be read and worked on',
      responses: { 200: jsonContent(Readiness, 'it is ready'), 503: jsonContent(Readiness, 'it is not ready') },
    }),
    async (c) => {
      const found = await checkReadiness(server.app)
      return c.json(found, found.ready ? 200 : 503)
    },
  )
  api.openapi(
    defineRoute({
      method: 'get',
      path: '/api/version',
      operationId: 'getVersion',
      access: 'viewer',
      tags: ['service'],
      summary: 'The version of Fixwright',
      responses: { 200: jsonContent(z.object({ version: z.string() }), 'the version') },
    }),
    (c) => c.json({ version: server.version }, 200),
  )
  api.openapi(
    defineRoute({
      method: 'post',
      path: '/api/login',
      operationId: 'login',
      access: 'public',
      tags: ['service'],
      summary: 'Exchange the one-use code that `fixwright up` prints for a token of some hours',
      request: jsonBody(z.strictObject({ code: z.string().min(1).max(200) })),
      responses: { 201: jsonContent(NewToken, 'the token; its text is shown once') },
    }),
    async (c) => {
      const created = await server.logins.redeem(server.app, c.req.valid('json').code)
      if (created !== undefined) return c.json(created, 201)
      await server.limits.countFailedSignIn(c.get('address'))
      throw new ApiProblem(401, 'token_required', 'the code was used, is too old, or never was one')
    },
  )
  addTokenRoutes(api, server)
}

function addTokenRoutes(api: Api, server: ServerContext): void {
  api.openapi(
    defineRoute({
      ...adminReading,
      path: '/api/tokens',
      operationId: 'listTokens',
      summary: 'The tokens, without their texts',
      responses: { 200: jsonContent(z.object({ items: z.array(Token) }), 'the newest first') },
    }),
    async (c) => c.json({ items: [...(await listTokens(server.app))] }, 200),
  )
  api.openapi(
    defineRoute({
      ...adminWriting,
      path: '/api/tokens',
      operationId: 'createToken',
      summary: 'Make a token',
      request: jsonBody(
        z.strictObject({
          name: TokenName,
          role: Role.default('operator'),
          /** As 90d, 12h or 30m, or never. */
          expires: z
            .string()
            .regex(/^([1-9]\d{0,2}[dhm]|never)$/)
            .default('90d'),
        }),
      ),
      responses: { 201: jsonContent(NewToken, 'the token; its text is shown once') },
    }),
    async (c) => c.json(await createToken(actAsCaller(server, c), c.req.valid('json')), 201),
  )
  api.openapi(
    defineRoute({
      ...adminWriting,
      path: '/api/tokens/{token_id}/revoke',
      operationId: 'revokeToken',
      summary: 'End a token for good',
      request: { params: z.object({ token_id: z.string().min(1).max(40) }), ...jsonBody(z.strictObject({})) },
      responses: { 200: jsonContent(Token, 'the token as it is now') },
    }),
    async (c) => c.json(await revokeToken(server.app, c.req.valid('param').token_id), 200),
  )
  const Entry = AuditRecord.extend({ number: z.number().int() }).openapi('AuditEntry')
  api.openapi(
    defineRoute({
      ...adminReading,
      path: '/api/audit',
      operationId: 'listAudit',
      summary: 'Who changed what over HTTP, and which tokens were refused',
      request: { query: z.strictObject({ limit: LimitParam, cursor: CursorParam }) },
      responses: { 200: jsonContent(toPageSchema(Entry), 'the newest first') },
    }),
    async (c) => {
      const { limit, cursor } = c.req.valid('query')
      const before = cursor === undefined ? undefined : parseCursor(cursor, 'audit', z.tuple([z.number().int()]))[0]
      const found = await server.app.store.audit.list({ limit: limit + 1, before })
      return c.json(
        toPage(found, limit, 'audit', ({ number }) => [number]),
        200,
      )
    },
  )
}
