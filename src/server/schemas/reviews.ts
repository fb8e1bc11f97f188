// Bodies of the routes that review a change, with the names of the commands' options.
import { z } from '@hono/zod-openapi'
import { ExpertName } from '../../domain/review/experts.ts'
import { GitName, Id, OrderedSettings, Text } from './fix.ts'

const change = {
  repository_id: Id,
  /** What the change is compared with; the default branch without it. */
  base: GitName.optional(),
  /** The change; what is checked out without it. */
  head: GitName.optional(),
  settings: OrderedSettings.optional(),
}

export const ReviewBody = z
  .strictObject({
    ...change,
    /** A folder or file of the reviewed commit. */
    spec: GitName.optional(),
    experts: z.array(ExpertName).min(1).max(ExpertName.options.length).optional(),
    user_notes: Text.nullish(),
    /** Whether confirmed findings become issues. */
    import: z.boolean().default(false),
  })
  .openapi('StartReview')

export const VotesBody = z.strictObject(change).openapi('StartVotes')
