// Issues of a repository and what people decide about them, and the settings that hold.
import { z } from '@hono/zod-openapi'
import { changeIssue, computeIssueVersion, listIssuePage, listRelatedIssues, loadIssue } from '../../app/issues.ts'
import { explainSettings } from '../../app/settings/explain-settings.ts'
import { IssueStatus, Severity } from '../../domain/issue/issue.ts'
import { IssueRecord } from '../../domain/session/store-records.ts'
import type { Api, ServerContext } from '../context.ts'
import { parseCursor, toPage } from '../cursor.ts'
import { CursorParam, defineRoute, jsonBody, jsonContent, LimitParam, toPageSchema } from '../define-route.ts'
import { computeEtag, IfMatchHeader, IfNoneMatchHeader, isNotModified, NOT_MODIFIED, requireIfMatch } from '../etag.ts'
import { ApiProblem } from '../problem.ts'

const IssueReply = IssueRecord.extend({
  /** For If-Match, as the header ETag of one issue. */
  etag: z.string(),
}).openapi('Issue')

/** Also as the source documents write them: CRITICAL. Several are separated by commas. */
const SeverityList = z
  .string()
  .toLowerCase()
  .regex(/^(critical|high|medium|low|info)(,(critical|high|medium|low|info))*$/)
  .transform((text) => text.split(',').map((each) => Severity.parse(each)))
  .optional()
  .openapi({
    type: 'string',
    pattern: '^(critical|high|medium|low|info)(,(critical|high|medium|low|info))*$',
    example: 'high,critical',
  })

const IssueParam = z.object({ issue_id: z.string().min(1).max(100) })
const MAX_RELATED = 50

const reading = { method: 'get' as const, access: 'viewer' as const, tags: ['issues'] }

export function addIssueRoutes(api: Api, { app }: ServerContext): void {
  api.openapi(
    defineRoute({
      ...reading,
      path: '/api/fix/issues/{id}',
      operationId: 'listIssues',
      summary: 'The issues of a repository, the latest change first',
      request: {
        params: z.object({ id: z.string().min(1).max(200).openapi({ description: 'the id of the repository' }) }),
        query: z.strictObject({
          status: IssueStatus.optional(),
          severity: SeverityList,
          task_id: z.string().min(1).max(200).optional(),
          import_id: z
            .string()
            .min(1)
            .max(100)
            .optional()
            .openapi({ description: 'only those that this import opened' }),
          limit: LimitParam,
          cursor: CursorParam,
        }),
      },
      responses: { 200: jsonContent(toPageSchema(IssueReply), 'a page of them') },
    }),
    async (c) => {
      const { id: repository_id } = c.req.valid('param')
      const { limit, cursor, severity: severities, import_id: opened_by, ...wanted } = c.req.valid('query')
      const filter = { repository_id, severities, opened_by, ...wanted }
      const scope = ['issues', filter]
      const Key = z.tuple([z.string(), z.string()])
      const [updated_at, issue_id] = cursor === undefined ? [] : parseCursor(cursor, scope, Key)
      const before = updated_at === undefined || issue_id === undefined ? undefined : { updated_at, issue_id }
      const found = await listIssuePage(app, { ...filter, before, limit: limit + 1 })
      const page = toPage(found, limit, scope, (issue) => [issue.updated_at, issue.issue_id])
      return c.json({ ...page, items: page.items.map(toReply) }, 200)
    },
  )
  api.openapi(
    defineRoute({
      ...reading,
      path: '/api/issues/{issue_id}',
      operationId: 'getIssue',
      summary: 'One issue, with its ETag',
      request: { params: IssueParam, headers: IfNoneMatchHeader },
      responses: { 200: jsonContent(IssueReply, 'the issue'), 304: NOT_MODIFIED },
    }),
    async (c) => {
      const issue = await loadIssue(app, c.req.valid('param').issue_id)
      if (isNotModified(c, c.req.valid('header')['if-none-match'], toEtag(issue))) return c.body(null, 304)
      return c.json(toReply(issue), 200)
    },
  )
  api.openapi(
    defineRoute({
      ...reading,
      path: '/api/issues/{issue_id}/related',
      operationId: 'listRelatedIssues',
      summary:
        'Issues of the same task that are worth fixing together with this one: the same file first, then the same category',
      request: { params: IssueParam },
      responses: { 200: jsonContent(z.object({ items: z.array(IssueReply) }), 'at most fifty, the nearest first') },
    }),
    async (c) => {
      const issue = await loadIssue(app, c.req.valid('param').issue_id)
      const found = await listRelatedIssues(app, issue, undefined)
      return c.json({ items: found.slice(0, MAX_RELATED).map(toReply) }, 200)
    },
  )
  api.openapi(
    defineRoute({
      method: 'patch',
      path: '/api/fix/issues/{id}',
      operationId: 'changeIssue',
      access: 'operator',
      tags: ['issues'],
      summary: 'Set the status of an issue, with a note',
      request: {
        params: z.object({ id: z.string().min(1).max(200).openapi({ description: 'the id of the issue' }) }),
        headers: IfMatchHeader,
        ...jsonBody(
          z
            .strictObject({
              status: IssueStatus.optional(),
              resolution_note: z.string().trim().min(1).max(8000).openapi({ pattern: '\\S' }).nullish(),
            })
            .openapi('ChangeIssue'),
        ),
      },
      responses: { 200: jsonContent(IssueReply, 'the issue as it is now') },
    }),
    async (c) => {
      const { status, resolution_note } = c.req.valid('json')
      const { id } = c.req.valid('param')
      await loadIssue(app, id)
      const version = requireIfMatch(c.req.valid('header')['if-match'])
      const outcome = await changeIssue(app, id, { status, note: resolution_note ?? undefined, version })
      if (outcome.kind === 'stale') {
        const members = { current: toReply(outcome.current) }
        const headers = { ETag: toEtag(outcome.current) }
        throw new ApiProblem(412, 'issue_changed', 'the issue has changed since you read it', { members, headers })
      }
      c.header('ETag', toEtag(outcome.issue))
      return c.json(toReply(outcome.issue), 200)
    },
  )
  const Setting = z.object({ path: z.string(), value: z.unknown(), origin: z.string() }).openapi('Setting')
  api.openapi(
    defineRoute({
      method: 'get',
      path: '/api/settings',
      operationId: 'listSettings',
      access: 'operator',
      tags: ['service'],
      summary: 'Each setting as it holds, and where it comes from',
      request: { headers: IfNoneMatchHeader },
      responses: { 200: jsonContent(z.object({ items: z.array(Setting) }), 'the settings'), 304: NOT_MODIFIED },
    }),
    async (c) => {
      const { rows } = await explainSettings(app, {})
      const items = rows.map(({ path, json, origin }) => ({ path, value: json, origin }))
      if (isNotModified(c, c.req.valid('header')['if-none-match'], computeEtag(items))) return c.body(null, 304)
      return c.json({ items }, 200) as never
    },
  )
}

function toReply(issue: IssueRecord): z.infer<typeof IssueReply> {
  return { ...issue, etag: toEtag(issue) }
}

function toEtag(issue: IssueRecord): string {
  return `"${computeIssueVersion(issue)}"`
}
