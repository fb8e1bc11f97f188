// Puts the service together: the gate, the routes, the OpenAPI document that describes them, and how failures are answered.
import { OpenAPIHono, type RouteConfig, type z } from '@hono/zod-openapi'
import { explainError } from '../app/explain-error.ts'
import type { Api, ServerContext } from './context.ts'
import type { Access } from './define-route.ts'
import { addDocumentRoutes, DOCUMENT_ROUTES } from './docs/page.ts'
import type { ApiEnv, Caller } from './env.ts'
import { escapePointer } from './find-pointer.ts'
import { createRouteFinder, type KnownRoute } from './gate/find-route.ts'
import { createGate, createRecorder } from './gate/gate.ts'
import { createIdempotency } from './gate/idempotency.ts'
import { ApiProblem, sendProblem, toProblem, withoutExplanation } from './problem.ts'
import { addStartStreams } from './routes/answer-start.ts'
import { addFixRoutes } from './routes/fix.ts'
import { addGitHubRoutes } from './routes/github.ts'
import { addIssueRoutes } from './routes/issues.ts'
import { addMessageRoutes } from './routes/messages.ts'
import { addRepositoryRoutes } from './routes/repositories.ts'
import { addReviewRoutes } from './routes/reviews.ts'
import { addServiceRoutes } from './routes/service.ts'
import { addSessionRoutes } from './routes/sessions.ts'
import { addWebhookRoutes } from './routes/webhooks.ts'

const OPENAPI_ROUTE: KnownRoute = { method: 'GET', path: '/api/openapi.json', access: 'public' }

export function createApi(server: ServerContext): Api {
  const api: Api = new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw toValidationProblem(result.target, result.error)
    },
  })
  api.onError((error, c) => {
    const problem = toProblem(error, (cause) => explainError(cause, server.app.env), c.req.valid('json' as never))
    // Explanations name files of this home.
    const isStranger = (c.get('caller') as Caller | undefined) === undefined
    return sendProblem(c, isStranger && problem !== error ? withoutExplanation(problem) : problem)
  })
  api.notFound((c) => sendProblem(c, new ApiProblem(404, 'path_not_found', `there is nothing at ${c.req.path}`)))

  // Known only once every route is there.
  let findRoute = createRouteFinder([])
  const findKnown = (method: string, path: string) => findRoute(method, path)
  api.use('*', createRecorder(server, findKnown))
  api.use('*', createGate(server, findKnown))

  addStartStreams(api, server)
  api.use('*', createIdempotency(server))

  addServiceRoutes(api, server)
  addSessionRoutes(api, server)
  addMessageRoutes(api, server)
  addFixRoutes(api, server)
  addReviewRoutes(api, server)
  addIssueRoutes(api, server)
  addRepositoryRoutes(api, server)
  addWebhookRoutes(api, server)
  addGitHubRoutes(api, server)
  addDocumentRoutes(api)
  const document = buildDocument(api, server.version)
  api.get(OPENAPI_ROUTE.path, (c) => c.json(document))
  findRoute = createRouteFinder([...listRoutes(api), ...DOCUMENT_ROUTES, OPENAPI_ROUTE])
  return api
}

function buildDocument(api: Api, version: string): object {
  api.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Fixwright',
      version,
      description: 'Turns the findings of a code review into commits that someone can trust. See docs/api.md.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
  })
}

function listRoutes(api: Api): KnownRoute[] {
  return api.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return []
    const { method, path, responses, 'x-access': access, 'x-max-body-bytes': maxBodyBytes } = definition.route
    return [
      {
        method: method.toUpperCase(),
        path,
        access: access as Access,
        maxBodyBytes: maxBodyBytes as number | undefined,
        produces: listProduced(responses),
      },
    ]
  })
}

function listProduced(responses: RouteConfig['responses']): readonly string[] {
  const contents = Object.entries(responses).flatMap(([status, response]) =>
    /^2/.test(status) && 'content' in response ? Object.keys(response.content ?? {}) : [],
  )
  return [...new Set(contents)]
}

function toValidationProblem(target: string, { issues }: Pick<z.ZodError, 'issues'>): ApiProblem {
  const place = target === 'json' ? '' : `/${target}`
  const errors = issues.slice(0, 20).map(({ path, message }) => ({
    pointer: [place, ...path.map((key) => escapePointer(String(key)))].join('/'),
    detail: message,
  }))
  const what = target === 'json' ? 'body' : `${target} of the request`
  return new ApiProblem(400, 'bad_input', `the ${what} is not as it must be`, { errors })
}
