// Where a finding may stand as a line comment of a forge: on lines that the change shows, of the side that the finding quotes. GitHub refuses
// a whole review for one line that it does not show, and does not say for which.
import { z } from 'zod'
import type { ReviewFinding } from '../review/finding.ts'
import { type FileDiff, type Hunk, listOldStarts } from '../text/unified-diff.ts'

const Line = z.number().int().positive()

export const CommentPlace = z.object({
  /** The new path of a renamed file. */
  path: z.string(),
  side: z.enum(['LEFT', 'RIGHT']),
  line: Line,
  /** Where it begins, if it has several lines. */
  start_line: Line.optional(),
})
export type CommentPlace = z.infer<typeof CommentPlace>

/** Of a longer one, GitHub may show nothing. */
const MAX_DIFF_CHARS = 500_000

export function findCommentPlace(
  { file, side, anchor }: Pick<ReviewFinding, 'file' | 'side' | 'anchor'>,
  diff: readonly FileDiff[],
): CommentPlace | undefined {
  if (anchor.kind === 'unanchored') return undefined
  const shown = diff.find(({ path, from = path }) => (side === 'new' ? path : from) === file)
  if (shown === undefined || shown.text.length > MAX_DIFF_CHARS) return undefined
  const { line: first, end_line: last } = anchor
  const place = { path: shown.path, side: side === 'new' ? 'RIGHT' : 'LEFT' } as const
  for (const lines of listShownLines(shown, side)) {
    if (first < last && lines.has(first) && lines.has(last)) return { ...place, line: last, start_line: first }
    if (lines.has(first)) return { ...place, line: first }
  }
  return undefined
}

/** The line numbers of each hunk: a comment has to stay in one. */
function listShownLines(file: FileDiff, side: 'new' | 'old'): ReadonlySet<number>[] {
  const starts = listOldStarts(file)
  return file.hunks.map((hunk, index) => (side === 'new' ? listNewLines(hunk) : listOldLines(hunk, starts[index] ?? 1)))
}

function listNewLines(hunk: Hunk): ReadonlySet<number> {
  return new Set(hunk.filter(({ side }) => side !== 'old').map(({ line }) => line))
}

function listOldLines(hunk: Hunk, start: number): ReadonlySet<number> {
  return new Set(hunk.filter(({ side }) => side !== 'new').map((_, index) => start + index))
}
