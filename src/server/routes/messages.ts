// What people say to a session: answers, decisions, stop and go. Each is signed with the caller's token.
import { z } from '@hono/zod-openapi'
import { getSession } from '../../app/session/find-sessions.ts'
import { sendToSession, type UnsignedMessage } from '../../app/session/send-message.ts'
import { findMessageSchema, type MessageName } from '../../domain/people/message-schemas.ts'
import { type Api, type ApiContext, actAsCaller, type ServerContext } from '../context.ts'
import { defineRoute, jsonBody, jsonContent, SessionParam } from '../define-route.ts'
import { ApiProblem } from '../problem.ts'
import { MessageOutcomeReply } from '../schemas/sessions.ts'

/** The caller is who the token says, so a message names nobody. */
const { answers, skip, request } = findMessageSchema('answerClarification').shape
const { decision, edit } = findMessageSchema('decidePlan').shape
const { decision: verdict, paths, remember } = findMessageSchema('decideScope').shape
/** The document would leave out the keys of records, and that a list names each once. Only a copy of a domain's schema can be described. */
const Texts = { type: 'string', minLength: 1, maxLength: 8000, pattern: '\\S' }
const QUESTION_IDS: object = {
  propertyNames: { type: 'string', pattern: '^[^\\n\\r\\u2028\\u2029]{1,120}-q[0-9]{1,4}$' },
  additionalProperties: Texts,
}
const ISSUE_CODES: object = {
  propertyNames: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$' },
  additionalProperties: Texts,
}
const { drop, order, notes } = edit.unwrap().shape
const Edit = z.strictObject({
  drop,
  order: order.clone().openapi({ uniqueItems: true }),
  notes: notes.clone().openapi('NotesByIssue', ISSUE_CODES),
})
const reason = findMessageSchema('cancel').unwrap().shape.reason.clone().openapi({ pattern: '\\S' })

const ROUTES = [
  [
    'answers',
    'answerQuestions',
    'answerClarification',
    z.strictObject({ answers: answers.clone().openapi('AnswersById', QUESTION_IDS), skip, request }),
    'Answer open questions by their ids, or skip them',
  ],
  [
    'plan/decision',
    'decidePlan',
    'decidePlan',
    z.strictObject({ request, decision, reason, edit: Edit.optional() }),
    'Approve, edit or reject the plan',
  ],
  [
    'scope/decision',
    'decideScope',
    'decideScope',
    z.strictObject({ request, decision: verdict, paths, remember, reason }),
    'Let changes outside the scope pass, or reject them',
  ],
  ['cancel', 'cancelSession', 'cancel', z.strictObject({ reason }), 'Stop a session for good: commits stay'],
  ['pause', 'pauseSession', 'pause', z.strictObject({ reason }), 'Begin no further step before the session is resumed'],
  ['resume', 'resumeSession', 'resume', z.strictObject({}), 'Go on with a session that was paused'],
] as const

export function addMessageRoutes(api: Api, server: ServerContext): void {
  for (const [path, operationId, name, body, summary] of ROUTES) {
    api.openapi(
      defineRoute({
        method: 'post',
        path: `/api/sessions/{session_id}/${path}`,
        operationId,
        access: 'operator',
        tags: ['people'],
        summary,
        request: { params: SessionParam, ...jsonBody(body as z.ZodType<object>) },
        responses: {
          200: jsonContent(MessageOutcomeReply, 'the session has taken it, or had it already'),
          202: jsonContent(MessageOutcomeReply, 'it is on its way: no worker answered in time'),
        },
      }),
      async (c) => {
        const reply = await send(server, c as unknown as ApiContext, {
          id: c.req.valid('param').session_id,
          name,
          message: c.req.valid('json'),
        })
        return c.json(reply, reply.kind === 'sent' ? 202 : 200)
      },
    )
  }
}

interface SentMessage {
  readonly id: string
  readonly name: MessageName
  readonly message: object
}

async function send(
  server: ServerContext,
  c: ApiContext,
  { id, name, message }: SentMessage,
): Promise<z.infer<typeof MessageOutcomeReply>> {
  const app = actAsCaller(server, c)
  const session = await getSession(app, id)
  const outcome = await sendToSession(app, session, name, message as UnsignedMessage<typeof name>)
  if (outcome.kind === 'refused')
    throw new ApiProblem(outcome.code === 'self_approval' ? 403 : 409, outcome.code, outcome.reason)
  if (outcome.kind === 'ended') throw new ApiProblem(409, 'session_ended', `session ${id} has ended`)
  return outcome
}
