// Decides whether the commit of an issue was merged, by what git shows and what the forge says. Git alone can't know it where somebody
// edited the change while merging it: then nobody says more than is known.

export interface LandingFacts {
  /** The target has the commit itself. */
  readonly isContained: boolean
  /** The commit of the target that has its change. */
  readonly landedAt?: string | undefined
  /** The commit of the target that takes it back. */
  readonly revertedAt?: string | undefined
  /** Its change was not found, and the target has changed its files since. */
  readonly isTouched: boolean
}

/** The forge's word on the pull request. */
export interface PullFacts {
  readonly state: 'open' | 'closed' | 'merged'
  readonly mergeCommit?: string | undefined
  /** Whether the pull request had the commit when it ended; undefined if its last commit can't be had. */
  readonly hasCommit: boolean | undefined
}

export type Landing =
  /** `revertedAt`: it was taken back later, which changes nothing in what was merged. */
  | { readonly kind: 'merged'; readonly at?: string | undefined; readonly revertedAt?: string | undefined }
  | { readonly kind: 'not_merged'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string }

/** Without `pull`, there is only git. */
export function decideLanding(facts: LandingFacts, pull?: PullFacts): Landing {
  const { isContained, landedAt, revertedAt, isTouched } = facts
  if (pull?.state === 'merged' && pull.hasCommit)
    return { kind: 'merged', at: landedAt ?? pull.mergeCommit, revertedAt }
  if (isContained || landedAt !== undefined) return { kind: 'merged', at: landedAt, revertedAt }
  if (pull?.state === 'merged' && pull.hasCommit === false) {
    return { kind: 'not_merged', why: 'its commit was not in the pull request when that was merged' }
  }
  if (pull?.state === 'open') return { kind: 'not_merged', why: 'the pull request is open' }
  if (pull?.state === 'closed') return { kind: 'not_merged', why: 'the pull request was closed without being merged' }
  if (isTouched) return { kind: 'unknown', why: 'its files were changed since, in another way than by its commit' }
  return { kind: 'not_merged', why: 'its files are as they were' }
}

/** For the note of an issue. */
export function describeMerge(
  where: string,
  { at, revertedAt }: Extract<Landing, { readonly kind: 'merged' }>,
): string {
  const as = at === undefined ? '' : ` as ${at.slice(0, 12)}`
  return `merged into ${where}${as}${revertedAt === undefined ? '' : `, and reverted by ${revertedAt.slice(0, 12)}`}`
}
