// The review endpoints: a review, a review whose findings are fixed, and two votes. A client that goes away ends nothing.
import type { z } from '@hono/zod-openapi'
import { loadRepository } from '../../app/repositories/repositories.ts'
import { type ReviewInput, startOrJoinReview, startOrJoinVotes } from '../../app/start/start-session.ts'
import { type Api, type ApiContext, actAsCaller, type ServerContext } from '../context.ts'
import { defineRoute, jsonBody } from '../define-route.ts'
import { ReviewBody, VotesBody } from '../schemas/reviews.ts'
import { answerStart, START_RESPONSES } from './answer-start.ts'

const common = { method: 'post' as const, access: 'operator' as const, tags: ['review'], responses: START_RESPONSES }

export function addReviewRoutes(api: Api, server: ServerContext): void {
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/review/start',
      operationId: 'startReview',
      summary: 'Review a change, or join the session that does; streams its events where the client accepts that',
      request: jsonBody(ReviewBody),
    }),
    async (c) => (await startReview(c as unknown as ApiContext, c.req.valid('json'), { fixes: false })) as never,
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/review-fix/start',
      operationId: 'startReviewFix',
      summary: 'Review a change and fix what is confirmed, or join the session that does',
      request: jsonBody(ReviewBody),
    }),
    async (c) => (await startReview(c as unknown as ApiContext, c.req.valid('json'), { fixes: true })) as never,
  )
  api.openapi(
    defineRoute({
      ...common,
      path: '/api/review-pr/start',
      operationId: 'startVotes',
      summary: 'Have two voters of two vendors vote on a change, or join the session that does',
      request: jsonBody(VotesBody),
    }),
    async (c) => {
      const { repository_id, settings: orderedSettings, ...refs } = c.req.valid('json')
      const notes: string[] = []
      const app = actAsCaller(server, c, (note) => notes.push(note))
      const { repository_id: repository } = await loadRepository(app, repository_id)
      const outcome = await startOrJoinVotes(app, { ...refs, repository, flags: app.flags, orderedSettings })
      return answerStart(c as unknown as ApiContext, { outcome, notes }) as never
    },
  )

  async function startReview(
    c: ApiContext,
    { repository_id, settings: orderedSettings, user_notes, ...wanted }: z.output<typeof ReviewBody>,
    { fixes }: Pick<ReviewInput, 'fixes'>,
  ): Promise<Response> {
    const notes: string[] = []
    const app = actAsCaller(server, c, (note) => notes.push(note))
    const { repository_id: repository } = await loadRepository(app, repository_id)
    const input = { ...wanted, repository, fixes, notes: user_notes ?? undefined }
    const outcome = await startOrJoinReview(app, { ...input, flags: app.flags, orderedSettings })
    return answerStart(c, { outcome, notes })
  }
}
