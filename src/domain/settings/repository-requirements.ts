// What a repository wants of everybody who commits to it, and Fixwright does not do. Whoever runs it may go on without, once they
// have said so: for a repository (`fixwright trust --without`), or for all of theirs (`repository.without`).
import { z } from 'zod'

/**
 * `filters`: files that git rewrites through a command on their way in and out. `hooks`: the repository's own checks before a commit.
 * `signing`: signed commits. `sign-off`: a line in each commit by which its author vouches for it.
 */
export const NeedKind = z.enum(['filters', 'hooks', 'signing', 'sign-off'])
export type NeedKind = z.infer<typeof NeedKind>

export interface Need {
  readonly kind: NeedKind
  /** What wants it: names of filters, files with checks, settings of git. Who agreed to one has not agreed to the next. */
  readonly what: readonly string[]
  /** A sentence for people. */
  readonly says: string
}

/** What a person agreed to go on without: of each kind, the very things they were shown. */
export type Accepted = Readonly<Partial<Record<NeedKind, readonly string[]>>>

/** The needs that nobody has agreed to go without. */
export function unmet(needs: readonly Need[], accepted: Accepted, everywhere: readonly NeedKind[]): Need[] {
  return needs.filter(({ kind, what }) => {
    const known = accepted[kind] ?? []
    return !everywhere.includes(kind) && !what.every((each) => known.includes(each))
  })
}
