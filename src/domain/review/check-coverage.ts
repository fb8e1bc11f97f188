// What a review has to say for itself before its findings count: an empty answer is an answer only if it says what was looked at.

import type { NotReviewed } from './replies.ts'
import type { FileContent } from './reviewed-files.ts'

export interface ReviewCoverage {
  /** Changed files, each in exactly one of the two. */
  readonly reviewed: readonly string[]
  readonly not_reviewed: readonly NotReviewed[]
}

export type CoverageCheck =
  | { readonly kind: 'covered'; readonly coverage: ReviewCoverage }
  | { readonly kind: 'malformed'; readonly problem: string }

interface Claimed {
  readonly head: string
  readonly reviewed: readonly string[]
  readonly not_reviewed: readonly NotReviewed[]
}

/** The files of the change, each with what it holds in the reviewed commit; undefined for a deleted one. */
export interface ChangeToReview {
  readonly head: string
  readonly files: ReadonlyMap<string, FileContent | undefined>
}

const MAX_NAMED = 5

/** A file named as reviewed and as not reviewed counts as not reviewed. Files that hold no text need no mention. */
export function checkCoverage({ head, reviewed, not_reviewed }: Claimed, change: ChangeToReview): CoverageCheck {
  if (head !== change.head)
    return malformed(`it reviewed ${head.slice(0, 40) || 'no commit'}, and ${change.head} was to be reviewed`)
  const left = new Map(not_reviewed.map((each) => [each.path, each]))
  const seen = new Set(reviewed.filter((path) => !left.has(path)))
  const coverage = { reviewed: [] as string[], not_reviewed: [] as NotReviewed[] }
  const missing: string[] = []
  for (const [path, content] of change.files) {
    const entry = left.get(path)
    if (entry) coverage.not_reviewed.push(entry)
    else if (seen.has(path)) coverage.reviewed.push(path)
    else if (content !== undefined && content.kind !== 'text')
      coverage.not_reviewed.push({ path, why: content.kind === 'binary' ? 'binary' : 'too long' })
    else missing.push(path)
  }
  if (missing.length === 0) return { kind: 'covered', coverage }
  const named = missing.slice(0, MAX_NAMED).join(', ')
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : ''
  return malformed(
    `${missing.length} of ${change.files.size} changed files are neither in "reviewed" nor in "not_reviewed": ${named}${more}`,
  )
}

/** Whether a person has to know that something was left out. A binary file is nothing that anybody would have read. */
export function isWhole({ not_reviewed }: Pick<ReviewCoverage, 'not_reviewed'>): boolean {
  return not_reviewed.every(({ why }) => why === 'binary')
}

function malformed(problem: string): CoverageCheck {
  return { kind: 'malformed', problem }
}
