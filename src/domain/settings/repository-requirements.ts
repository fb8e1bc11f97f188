// What a repository wants of everybody who commits to it, and Fixwright does not do. Whoever runs it may go on without, once they
// have said so: for a repository (`fixwright trust --without`), or for all of theirs (`repository.without`).
import { z } from 'zod'

/**
 * `filters`: files that git rewrites through a command on their way in and out. `hooks`: the repository's own checks before a commit.
 * `signing`: signed commits. `sign-off`: a line in each commit by which its author vouches for it.
 */
export const RequirementKind = z.enum(['filters', 'hooks', 'signing', 'sign-off'])
export type RequirementKind = z.infer<typeof RequirementKind>

export interface RepositoryRequirement {
  readonly kind: RequirementKind
  /** What wants it: names of filters, files with checks, settings of git. Who agreed to one has not agreed to the next. */
  readonly items: readonly string[]
  /** A sentence for people. */
  readonly description: string
}

/** What a person agreed to go on without: of each kind, the very things they were shown. */
export type AcceptedRequirements = Readonly<Partial<Record<RequirementKind, readonly string[]>>>

/** The needs that nobody has agreed to go without. */
export function listUnmetRequirements(
  needs: readonly RepositoryRequirement[],
  accepted: AcceptedRequirements,
  everywhere: readonly RequirementKind[],
): RepositoryRequirement[] {
  return needs.filter(({ kind, items }) => {
    const known = accepted[kind] ?? []
    return !everywhere.includes(kind) && !items.every((each) => known.includes(each))
  })
}
