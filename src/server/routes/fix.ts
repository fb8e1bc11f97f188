// The fix endpoints: clarify, plan, start, re-fix. A client that goes away ends nothing; asked again, each goes on from where it is.
import type { z } from '@hono/zod-openapi'
import { FixwrightError } from '../../app/errors.ts'
import { getSession } from '../../app/session/find-sessions.ts'
import { sendToSession } from '../../app/session/send-message.ts'
import { beginPrepared, describeEnded, type Preparation, waitForPreparation } from '../../app/start/prepare-session.ts'
import { type IssueStartRequest, toStartInput } from '../../app/start/select-issues.ts'
import { startOrJoinSession } from '../../app/start/start-session.ts'
import { type Api, type ApiContext, actAsCaller, type ServerContext } from '../context.ts'
import { defineRoute, jsonBody, jsonContent } from '../define-route.ts'
import { ApiProblem } from '../problem.ts'
import { ClarificationReply, ClarifyBody, PlanBody, PlannedReply, RefixBody, StartBody } from '../schemas/fix.ts'
import { answerBegun, answerStart, failStart, START_RESPONSES } from './answer-start.ts'

const common = { method: 'post' as const, access: 'operator' as const, tags: ['fix'] }

export function addFixRoutes(api: Api, server: ServerContext): void {
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/fix/start',
      operationId: 'startFix',
      summary: 'Start fixing issues, or join the session that does; streams its events where the client accepts that',
      request: jsonBody(StartBody),
      responses: START_RESPONSES,
    }),
    async (c) => (await start(server, c as unknown as ApiContext, c.req.valid('json'))) as never,
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/fix/re-fix',
      operationId: 'reFix',
      summary: 'Try again what an ended session did not fix, on its branch',
      request: jsonBody(RefixBody),
      responses: START_RESPONSES,
    }),
    async (c) => {
      const request = await toRefix(server, c.req.valid('json'))
      return (await start(server, c as unknown as ApiContext, request)) as never
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/fix/clarify',
      operationId: 'clarifyFix',
      summary: 'Ask what is unclear before a fix; the session then waits until a start names it',
      request: jsonBody(ClarifyBody),
      responses: {
        200: jsonContent(ClarificationReply, 'questions, or ready'),
        202: jsonContent(ClarificationReply, 'the agent is still at it: ask again with this session_id and no answers'),
      },
    }),
    async (c) => {
      const { session_id, answers, ...request } = c.req.valid('json')
      const app = actAsCaller(server, c)
      const settings = { ...request.settings, 'people.clarify': true, 'people.wait_for_start': true }
      const id = session_id ?? (await begin(app, { ...request, settings }))
      if (answers && Object.keys(answers).length > 0) {
        const outcome = await sendToSession(app, await getSession(app, id), 'answerClarification', { answers })
        if (outcome.kind === 'refused') throw new ApiProblem(409, outcome.code, outcome.reason)
      }
      const found = await waitForPreparation(app, id, waitAtMost(server, c))
      assertNotEnded(found)
      const { state, questions, message } = found
      const reply = {
        has_questions: questions.length > 0,
        questions,
        message,
        session_id: id,
        ready_to_fix: isReady(state),
      }
      c.header('Location', `/api/sessions/${id}`)
      return c.json(reply, state === 'working' ? 202 : 200)
    },
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/fix/plan',
      operationId: 'planFix',
      summary: 'Have the fix planned; the session then waits until the plan is decided, or a start names it',
      request: jsonBody(PlanBody),
      responses: {
        200: jsonContent(PlannedReply, 'the plan'),
        202: jsonContent(PlannedReply, 'the agent is still at it: ask again with this session_id'),
      },
    }),
    async (c) => {
      const { session_id, ...request } = c.req.valid('json')
      const app = actAsCaller(server, c)
      const id =
        session_id ?? (await begin(app, { ...request, settings: { ...request.settings, 'people.approve_plan': true } }))
      const found = await waitForPreparation(app, id, waitAtMost(server, c))
      assertNotEnded(found)
      const { decision, plan = null } = found.session
      const request_id = decision?.kind === 'plan' ? decision.request : null
      c.header('Location', `/api/sessions/${id}/plan`)
      const reply = { session_id: id, request: request_id, plan, ready_to_fix: isReady(found.state) }
      return c.json(reply, found.state === 'working' ? 202 : 200)
    },
  )
}

/** Ends also when the client or the service goes away. */
function waitAtMost({ timing, closing }: ServerContext, c: { readonly req: { readonly raw: Request } }): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(timing.longPollMs), closing, c.req.raw.signal])
}

type App = ReturnType<typeof actAsCaller>
type StartRequest = z.output<typeof StartBody>
type StartOptions = Omit<StartRequest, 'clarify_session_id'>

function isReady(state: Preparation['state']): boolean {
  return state === 'ready' || state === 'plan' || state === 'started'
}

function assertNotEnded({ session }: Preparation): void {
  if (session.ended_at !== undefined) throw describeEnded(session)
}

function toRequest({ user_notes, force: _, ...options }: StartOptions): IssueStartRequest {
  return { ...options, user_notes: user_notes ?? undefined }
}

/** Begins a session that asks, or joins it. */
async function begin(app: App, options: StartOptions): Promise<string> {
  const outcome = await startOrJoinSession(app, await toStartInput(app, toRequest(options)), { force: options.force })
  if ('sessionId' in outcome) return outcome.sessionId
  if (outcome.kind === 'done')
    throw new ApiProblem(409, 'session_ended', 'this work is done: nothing is left to ask about')
  return failStart(outcome)
}

async function start(
  server: ServerContext,
  c: ApiContext,
  { clarify_session_id, ...options }: StartRequest,
): Promise<Response> {
  const notes: string[] = []
  const app = actAsCaller(server, c, (note) => notes.push(note))
  if (clarify_session_id) {
    const { repository_id, user_notes } = options
    const { session_id } = await beginPrepared(app, clarify_session_id, {
      repository_id,
      user_notes: user_notes ?? undefined,
    })
    return answerBegun(c, { session_id, joined: false, notes })
  }
  const outcome = await startOrJoinSession(app, await toStartInput(app, toRequest(options)), { force: options.force })
  return answerStart(c, { outcome, notes })
}

async function toRefix(
  { app }: ServerContext,
  { session_id, issue_ids, user_notes }: z.output<typeof RefixBody>,
): Promise<StartRequest> {
  const session = await getSession(app, session_id)
  if (session.ended_at === undefined) {
    throw new FixwrightError('still_running', `session ${session_id} has not ended: it tries again by itself`)
  }
  const issues = await app.store.sessions.listIssues(session_id)
  const left = issues.filter(({ outcome }) => outcome?.status !== 'completed' && outcome?.settled === undefined)
  const known = left.map(({ issue }) => issue.issue_id)
  const unknown = issue_ids?.find((id) => !known.includes(id))
  if (unknown !== undefined) {
    throw new FixwrightError('issue_not_found', `session ${session_id} left no issue ${unknown} to be fixed`)
  }
  if (known.length === 0) throw new FixwrightError('session_ended', `session ${session_id} left nothing to be fixed`)
  const { repository_id, branch_name, issues_fixed } = session
  return {
    repository_id,
    issue_ids: issue_ids ?? known,
    user_notes,
    ...(branch_name !== undefined && issues_fixed > 0 ? { branch: branch_name } : {}),
    use_existing_branch: branch_name !== undefined && issues_fixed > 0,
    allow_dirty: false,
    force: false,
  }
}
