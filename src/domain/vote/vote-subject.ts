// What a session votes on, as its record keeps it.
import { z } from 'zod'

const NamedCommit = z.object({
  /** As the person calls it. */
  name: z.string(),
  commit: z.string(),
})

export const VoteSubject = z.object({
  base: NamedCommit,
  head: NamedCommit,
  /** The last commit that both have. */
  parted_at: z.string(),
})
export type VoteSubject = z.infer<typeof VoteSubject>

/** The pull request that the votes are posted on. */
const VotesTarget = z.object({
  /** The address of the remote. */
  remote: z.string(),
  number: z.number().int().positive(),
  /** Whether an approval is posted as one. */
  approve: z.boolean(),
})
export type VotesTarget = z.infer<typeof VotesTarget>

const Options = z.object({ vote_on: VoteSubject.optional(), post_on: VotesTarget.optional() })

/** Undefined for a session that fixes. */
export function parseVoteSubject({ options }: { readonly options: object }): VoteSubject | undefined {
  return Options.parse(options).vote_on
}

/** Undefined if they are posted nowhere. */
export function parseVotesTarget({ options }: { readonly options: object }): VotesTarget | undefined {
  return Options.parse(options).post_on
}
