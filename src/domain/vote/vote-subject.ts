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

const Options = z.object({ vote_on: VoteSubject.optional() })

/** Undefined for a session that fixes. */
export function parseVoteSubject({ options }: { readonly options: object }): VoteSubject | undefined {
  return Options.parse(options).vote_on
}
