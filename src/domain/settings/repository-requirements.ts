// Requirements of a repository for every commit that Fixwright does not meet. Operators may waive them for a repository (`fixwright
// trust --without`), or for all of theirs (`repository.without`).
import { z } from 'zod'

/**
 * `filters`: a command rewrites files on their way in and out of git. `hooks`: the repository's own checks before a commit. `signing`:
 * signed commits. `sign-off`: a line in each commit by which its author vouches for it.
 */
export const RequirementKind = z.enum(['filters', 'hooks', 'signing', 'sign-off'])
export type RequirementKind = z.infer<typeof RequirementKind>

export interface RepositoryRequirement {
  readonly kind: RequirementKind
  /** Names of filters, files with checks, settings of git. Accepting one item does not accept the next. */
  readonly items: readonly string[]
  /** A sentence for people. */
  readonly description: string
}

/** The items that a person has waived, by kind: exactly those that they were shown. */
export type AcceptedRequirements = Readonly<Partial<Record<RequirementKind, readonly string[]>>>

/** The requirements that nobody has waived. */
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
