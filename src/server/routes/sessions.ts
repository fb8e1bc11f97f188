// Sessions as they stand: list, one, what is asked, events, report, diff, artifacts, agent calls.
import { Readable } from 'node:stream'
import { z } from '@hono/zod-openapi'
import { listIssueDiffs } from '../../app/report/build-report.ts'
import { renderSessionReport } from '../../app/report/render-session-report.ts'
import { getSession, listSessionPage } from '../../app/session/find-sessions.ts'
import { loadSessionState } from '../../app/session/load-session-state.ts'
import { openSessionArtifact } from '../../app/session/read-artifact.ts'
import { FixStatus } from '../../domain/session/session.ts'
import type { Api, ServerContext } from '../context.ts'
import { parseCursor, toPage } from '../cursor.ts'
import { CursorParam, defineRoute, jsonContent, LimitParam, SessionParam, toPageSchema } from '../define-route.ts'
import { streamHints, streamSession } from '../events/stream-session.ts'
import {
  Artifact,
  EventData,
  EventFrame,
  HintData,
  HintFrame,
  IssueDiffs,
  OpenScopeReply,
  PlanInForce,
  Questions,
  SessionCall,
  SessionDetail,
  SessionListItem,
} from '../schemas/sessions.ts'

const REPORT_TYPES = {
  json: 'application/json',
  md: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  sarif: 'application/sarif+json',
} as const

const common = { method: 'get' as const, access: 'viewer' as const, tags: ['sessions'] }

export function addSessionRoutes(api: Api, server: ServerContext): void {
  const { app } = server
  const find = async (id: string) => await getSession(app, id)
  const Filter = z.strictObject({
    repository_id: z.string().min(1).max(200).optional(),
    status: FixStatus.optional(),
    running: z.enum(['true', 'false']).optional(),
    limit: LimitParam,
    cursor: CursorParam,
  })

  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions',
      operationId: 'listSessions',
      summary: 'The sessions, the newest first',
      request: { query: Filter },
      responses: { 200: jsonContent(toPageSchema(SessionListItem), 'a page of them') },
    }),
    async (c) => {
      const { limit, cursor, running, ...filter } = c.req.valid('query')
      const scope = ['sessions', filter, running]
      const [started_at, session_id] =
        cursor === undefined ? [] : parseCursor(cursor, scope, z.tuple([z.string(), z.string()]))
      const before = started_at === undefined || session_id === undefined ? undefined : { started_at, session_id }
      const wanted = { ...filter, ...(running === undefined ? {} : { running: running === 'true' }), before }
      const found = await listSessionPage(app, { ...wanted, limit: limit + 1 })
      const page = toPage(found, limit, scope, (each) => [each.started_at, each.session_id])
      return c.json(page, 200)
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}',
      operationId: 'getSession',
      summary: 'All about one session: issues, open questions, plan, scope',
      request: { params: SessionParam },
      responses: { 200: jsonContent(SessionDetail, 'the session') },
    }),
    async (c) => c.json(await loadSessionState(app, await find(c.req.valid('param').session_id)), 200),
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}/questions',
      operationId: 'getQuestions',
      summary: 'The open questions without an answer',
      request: { params: SessionParam },
      responses: { 200: jsonContent(Questions, 'the questions') },
    }),
    async (c) => {
      const { request, questions } = await loadSessionState(app, await find(c.req.valid('param').session_id))
      return c.json({ request, questions }, 200)
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}/plan',
      operationId: 'getPlan',
      summary: 'The plan in force; `request` is set while it awaits a decision',
      request: { params: SessionParam },
      responses: { 200: jsonContent(PlanInForce, 'the plan') },
    }),
    async (c) => {
      const session = await find(c.req.valid('param').session_id)
      const { plan, decision } = session
      return c.json({ request: decision?.kind === 'plan' ? decision.request : null, plan: plan ?? null }, 200)
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}/scope',
      operationId: 'getScope',
      summary: 'The changes outside the scope that await a decision',
      request: { params: SessionParam },
      responses: { 200: jsonContent(OpenScopeReply, 'the changes, if a decision is open') },
    }),
    async (c) => {
      const { request, scope } = await loadSessionState(app, await find(c.req.valid('param').session_id))
      return c.json({ request: scope === null ? null : request, scope }, 200)
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}/calls',
      operationId: 'listCalls',
      summary: 'The runs of agents, with cost, tokens and the artifacts of prompt and reply',
      request: { params: SessionParam },
      responses: { 200: jsonContent(z.object({ items: z.array(SessionCall) }), 'in the order of their start') },
    }),
    async (c) => {
      const { session_id } = await find(c.req.valid('param').session_id)
      const calls = await app.store.agentCalls.listForSession(session_id)
      return c.json({ items: calls.map(({ marker: _, result: __, ...call }) => call) }, 200)
    },
  )
  addEventRoutes(api, server)
  addDocumentsOfSession(api, server)
}

function addEventRoutes(api: Api, server: ServerContext): void {
  const eventStream = (schema: z.ZodType, description: string) => ({
    description,
    content: { 'text/event-stream': { schema } },
  })
  const Position = z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be the number of an event, or 0')
    .optional()
    .openapi({ description: 'begins after the event of this number; the header comes first' })
  api.openAPIRegistry.register('SessionEvent', EventData)
  api.openAPIRegistry.register('SessionHint', HintData)
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}/events',
      operationId: 'streamSessionEvents',
      summary: 'The events of a session as they come, from the first to the terminal one',
      description:
        'Server-sent events. The stream ends after the terminal event; a reader that has seen that gets 204. A stream also ends after 15 minutes: come back with Last-Event-ID.',
      request: {
        params: SessionParam,
        query: z.strictObject({
          after: Position,
        }),
        headers: z.object({
          'last-event-id': Position,
        }),
      },
      responses: {
        200: eventStream(EventFrame, 'the events'),
        204: { description: 'the session has ended, and the reader has its last event' },
      },
    }),
    async (c) => {
      const { session_id } = await getSession(server.app, c.req.valid('param').session_id)
      // The header comes first: a browser that reconnects sends it, and still has its old query in the address.
      const after = Number(c.req.valid('header')['last-event-id'] ?? c.req.valid('query').after ?? 0)
      return await streamSession(server, c, session_id, { after })
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/events',
      operationId: 'streamHints',
      summary: 'Hints at which sessions have changed',
      description: 'Server-sent events without data and without replay: read anew what you show whenever you connect.',
      responses: { 200: eventStream(HintFrame, 'the hints; this stream has no end of its own') },
    }),
    (c) => streamHints(server, c),
  )
}

function addDocumentsOfSession(api: Api, { app }: ServerContext): void {
  const Text = z.string()
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}/report',
      operationId: 'getReport',
      summary: 'What was fixed, reviewed or voted, with the evidence, so far or in the end',
      request: {
        params: SessionParam,
        query: z.strictObject({ format: z.enum(['json', 'md', 'html', 'sarif']).default('json') }),
      },
      responses: {
        200: {
          description: 'the report',
          content: {
            'application/json': {
              schema: z.looseObject({ session_id: z.string(), final_status: z.string().optional() }).openapi('Report'),
            },
            'text/markdown': { schema: Text },
            'text/html': { schema: Text },
            'application/sarif+json': { schema: z.looseObject({ version: z.literal('2.1.0') }).openapi('SarifLog') },
          },
        },
      },
    }),
    async (c) => {
      const { format } = c.req.valid('query')
      const session = await getSession(app, c.req.valid('param').session_id)
      const { text } = await renderSessionReport(app, session, format)
      // Its own style is part of the page, and it asks for nothing else.
      const policy =
        format === 'html'
          ? { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }
          : {}
      return c.body(text, 200, { 'Content-Type': REPORT_TYPES[format], ...policy }) as never
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}/diff',
      operationId: 'getDiff',
      summary: 'What was committed for each issue, or what its last attempt changed',
      request: {
        params: SessionParam,
        query: z.strictObject({ issue_code: z.string().min(1).max(80).optional() }),
      },
      responses: { 200: jsonContent(IssueDiffs, 'a patch for each issue with one') },
    }),
    async (c) => {
      const session = await getSession(app, c.req.valid('param').session_id)
      return c.json({ items: await listIssueDiffs(app, session, c.req.valid('query').issue_code) }, 200)
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}/artifacts',
      operationId: 'listArtifacts',
      summary: 'Prompts, replies, transcripts, diffs, outputs',
      request: { params: SessionParam },
      responses: { 200: jsonContent(z.object({ items: z.array(Artifact) }), 'what is kept, by its reference') },
    }),
    async (c) => {
      const { session_id } = await getSession(app, c.req.valid('param').session_id)
      return c.json({ items: await app.store.artifacts.listForSession(session_id) }, 200)
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/sessions/{session_id}/artifacts/{ref}',
      operationId: 'getArtifact',
      summary: 'The content of one artifact of the session, always as plain text',
      request: { params: SessionParam.extend({ ref: z.string().min(1).max(100) }) },
      responses: { 200: { description: 'the content', content: { 'text/plain': { schema: Text } } } },
    }),
    async (c) => {
      const { session_id, ref } = c.req.valid('param')
      const content = await openSessionArtifact(app, await getSession(app, session_id), ref)
      // Whatever an agent wrote is shown as text, never as a page.
      const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Disposition': 'attachment' }
      return c.body(Readable.toWeb(content) as ReadableStream, 200, headers) as never
    },
  )
}
