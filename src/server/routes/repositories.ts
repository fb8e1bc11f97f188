// Repositories, their tasks, and imports of reports. A folder of this machine is registered only below roots that the operator named.
import { existsSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import { z } from '@hono/zod-openapi'
import { FixwrightError, RefusedError } from '../../app/errors.ts'
import { FINDINGS_FORMATS, importReport } from '../../app/imports/import-report.ts'
import { listImports, listTasks, undoImport } from '../../app/imports/imports.ts'
import { cloneRepository } from '../../app/repositories/clone-repository.ts'
import {
  addRepository,
  findRepository,
  listRepositories,
  loadRepository,
  removeRepository,
  renameRepository,
} from '../../app/repositories/repositories.ts'
import { ImportCounts, ImportRecord, TaskRecord } from '../../domain/import/import-record.ts'
import { RepositoryName, RepositorySummary } from '../../domain/repository/repository.ts'
import { type Api, actAsCaller, type ServerContext } from '../context.ts'
import { defineRoute, jsonBody, jsonContent } from '../define-route.ts'
import { computeEtag, IfMatchHeader, IfNoneMatchHeader, isNotModified, NOT_MODIFIED, requireIfMatch } from '../etag.ts'
import { ApiProblem } from '../problem.ts'
import { GitName } from '../schemas/fix.ts'

/** Reports have at most 10 MiB, and what is around one is little. */
const MAX_IMPORT_BYTES = 11 * 2 ** 20

const Repository = RepositorySummary.extend({}).openapi('Repository')
const NewRepository = z
  .strictObject({
    path: z.string().min(1).max(4096).optional(),
    /** As https://HOST/PATH or ssh://USER@HOST/PATH. */
    url: z.string().min(1).max(2000).optional(),
    name: RepositoryName.optional(),
  })
  .refine(({ path, url }) => (path === undefined) !== (url === undefined), {
    error: 'must have path or url, one of the two',
    path: ['path'],
  })
  .openapi('NewRepository', { oneOf: [{ required: ['path'] }, { required: ['url'] }] })
const Import = ImportRecord.extend({}).openapi('Import')
/** One form for both answers, so that the type of a generated client holds for either. */
const ImportReply = ImportRecord.partial().extend({ preview: z.boolean(), counts: ImportCounts }).openapi('ImportReply')
/** The report itself; its format is known by its content. A union would be a type of its own in generated clients. */
const Report = z
  .custom<object>((value) => typeof value === 'object' && value !== null, 'must be the JSON of a report')
  .openapi({ type: ['object', 'array'], items: {} } as object)
const Task = TaskRecord.extend({}).openapi('Task')
const RepositoryParam = z.object({ repository_id: z.string().regex(/^repo-[0-9a-f]{16}$/) })

const adminWriting = { method: 'post' as const, access: 'admin' as const, tags: ['repositories'] }
const reading = { method: 'get' as const, access: 'viewer' as const, tags: ['repositories'] }
const writing = { method: 'post' as const, access: 'operator' as const, tags: ['repositories'] }

export function addRepositoryRoutes(api: Api, server: ServerContext): void {
  const { app } = server
  api.openapi(
    defineRoute({
      ...reading,
      path: '/api/repositories',
      operationId: 'listRepositories',
      summary: 'The registered repositories',
      responses: { 200: jsonContent(z.object({ items: z.array(Repository) }), 'the repositories') },
    }),
    async (c) => c.json({ items: [...(await listRepositories(app))] }, 200),
  )
  api.openapi(
    defineRoute({
      ...adminWriting,
      path: '/api/repositories',
      operationId: 'addRepository',
      summary: 'Register a folder below a root of server.repository_roots, or clone from a host of repositories.hosts',
      request: jsonBody(NewRepository),
      responses: {
        200: jsonContent(Repository, 'it was registered already, or has moved here'),
        201: jsonContent(Repository, 'it is registered'),
      },
    }),
    async (c) => {
      const { path, url, name } = c.req.valid('json')
      const isAllowed = (folder: string) => isBelowRoots(folder, server.settings.repository_roots)
      const outcome =
        path === undefined
          ? await cloneRepository(app, { url: `${url}`, name })
          : await addRepository(app, { folder: findAllowedFolder(path, isAllowed), name, isAllowed })
      if (outcome.kind === 'refused') throw new RefusedError(outcome.code, outcome.problems)
      return c.json(outcome.repository, outcome.kind === 'added' ? 201 : 200)
    },
  )
  addOneRepositoryRoutes(api, server)
  api.openapi(
    defineRoute({
      ...adminWriting,
      path: '/api/repositories/{repository_id}/remove',
      operationId: 'removeRepository',
      summary: 'Forget a repository; its sessions stay readable',
      request: { params: RepositoryParam, ...jsonBody(z.strictObject({})) },
      responses: { 200: jsonContent(Repository, 'the repository as it was') },
    }),
    async (c) => {
      const outcome = await removeRepository(app, c.req.valid('param').repository_id)
      if (outcome.kind === 'refused') throw new RefusedError(outcome.code, outcome.problems)
      return c.json(outcome.repository, 200)
    },
  )
  addImportRoutes(api, server)
}

function addOneRepositoryRoutes(api: Api, { app }: ServerContext): void {
  api.openapi(
    defineRoute({
      ...reading,
      path: '/api/repositories/{repository_id}',
      operationId: 'getRepository',
      summary: 'One repository, with its ETag',
      request: { params: RepositoryParam, headers: IfNoneMatchHeader },
      responses: { 200: jsonContent(Repository, 'the repository'), 304: NOT_MODIFIED },
    }),
    async (c) => {
      const repository = await loadRepository(app, c.req.valid('param').repository_id)
      if (isNotModified(c, c.req.valid('header')['if-none-match'], computeEtag(repository))) return c.body(null, 304)
      return c.json(repository, 200)
    },
  )
  api.openapi(
    defineRoute({
      method: 'patch',
      path: '/api/repositories/{repository_id}',
      operationId: 'changeRepository',
      access: 'admin',
      tags: ['repositories'],
      summary: 'Give a repository another name',
      request: {
        params: RepositoryParam,
        headers: IfMatchHeader,
        ...jsonBody(z.strictObject({ name: RepositoryName }).openapi('ChangeRepository')),
      },
      responses: { 200: jsonContent(Repository, 'the repository as it is now') },
    }),
    async (c) => {
      const { repository_id } = c.req.valid('param')
      const current = await loadRepository(app, repository_id)
      const version = requireIfMatch(c.req.valid('header')['if-match'])
      if (version !== '*' && `"${version}"` !== computeEtag(current)) throw toChangedProblem(current)
      const seen = version === '*' ? undefined : current
      const outcome = await renameRepository(app, repository_id, c.req.valid('json').name, seen)
      // Somebody else was quicker.
      if (outcome === undefined) throw toChangedProblem(await loadRepository(app, repository_id))
      if (outcome.kind === 'refused') throw new RefusedError(outcome.code, outcome.problems)
      c.header('ETag', computeEtag(outcome.repository))
      return c.json(outcome.repository, 200)
    },
  )
}

function toChangedProblem(current: RepositorySummary): ApiProblem {
  const [members, headers] = [{ current }, { ETag: computeEtag(current) }]
  return new ApiProblem(412, 'repository_changed', 'the repository has changed since you read it', { members, headers })
}

function addImportRoutes(api: Api, server: ServerContext): void {
  const { app } = server
  const find = async (id: string): Promise<string> => {
    const found = await findRepository(app, id)
    if (found !== undefined) return found.repository_id
    throw new FixwrightError('repository_not_found', `no repository is registered as ${id}`)
  }
  api.openapi(
    defineRoute({
      ...reading,
      path: '/api/repositories/{repository_id}/tasks',
      operationId: 'listTasks',
      summary: 'The tasks of a repository: each is an import or a review',
      request: { params: RepositoryParam },
      responses: { 200: jsonContent(z.object({ items: z.array(Task) }), 'the newest first') },
    }),
    async (c) => c.json({ items: await listTasks(app, await find(c.req.valid('param').repository_id)) }, 200),
  )
  api.openapi(
    defineRoute({
      ...reading,
      path: '/api/repositories/{repository_id}/imports',
      operationId: 'listImports',
      summary: 'The imports of a repository',
      request: { params: RepositoryParam },
      responses: { 200: jsonContent(z.object({ items: z.array(Import) }), 'the newest first') },
    }),
    async (c) => c.json({ items: [...(await listImports(app, await find(c.req.valid('param').repository_id)))] }, 200),
  )
  api.openapi(
    defineRoute({
      ...writing,
      path: '/api/repositories/{repository_id}/imports',
      operationId: 'importReport',
      'x-max-body-bytes': MAX_IMPORT_BYTES,
      summary: 'Take the report of a tool into the store, or count what that would do',
      request: {
        params: RepositoryParam,
        ...jsonBody(
          z
            .strictObject({
              report: Report,
              format: z.enum(['auto', ...FINDINGS_FORMATS]).optional(),
              category: z.string().max(200).optional(),
              base: GitName.optional(),
              allow_empty: z.boolean().default(false),
              preview: z.boolean().default(false),
            })
            .openapi('ImportReport'),
        ),
      },
      responses: {
        200: jsonContent(ImportReply, 'with `preview`: what an import would do; nothing was changed'),
        201: jsonContent(ImportReply, 'the import, with what it changed'),
      },
    }),
    async (c) => {
      const repository = await find(c.req.valid('param').repository_id)
      const { allow_empty: allowEmpty, ...request } = c.req.valid('json')
      const outcome = await importReport(actAsCaller(server, c), { ...request, repository, allowEmpty })
      if (outcome.kind === 'refused') throw new RefusedError(outcome.code, outcome.problems)
      if (outcome.kind === 'imported') return c.json({ ...outcome.import, preview: false }, 201)
      const { counts, notice } = outcome
      return c.json({ preview: true, counts, ...(notice === undefined ? {} : { notice }) }, 200)
    },
  )
  api.openapi(
    defineRoute({
      ...writing,
      path: '/api/imports/{import_id}/undo',
      operationId: 'undoImport',
      summary: 'Put the issues back as they were before the import',
      request: { params: z.object({ import_id: z.string().min(1).max(100) }), ...jsonBody(z.strictObject({})) },
      responses: {
        200: jsonContent(z.object({ restored: z.number(), kept: z.number() }), 'how many issues are as before'),
      },
    }),
    async (c) => {
      const outcome = await undoImport(app, c.req.valid('param').import_id)
      if (outcome.kind === 'refused') throw new RefusedError(outcome.code, outcome.problems)
      return c.json({ restored: outcome.restored, kept: outcome.kept }, 200)
    },
  )
}

/** The real folder: a link below a root may lead anywhere. A folder that is not there answers as one that is elsewhere. */
function findAllowedFolder(path: string, isAllowed: (folder: string) => boolean): string {
  try {
    const folder = realpathSync(path)
    if (isAllowed(folder)) return folder
  } catch {
    // Answered below.
  }
  throw new FixwrightError('path_not_allowed', 'the path is no folder below one of server.repository_roots')
}

/** Both are real folders. A root that is not there has nothing below it. */
function isBelowRoots(folder: string, roots: readonly string[]): boolean {
  return roots.filter(existsSync).some((root) => {
    const real = realpathSync(root)
    return folder === real || folder.startsWith(real.endsWith(sep) ? real : `${real}${sep}`)
  })
}
