// Renders the parts of the reviewed diff near the findings, with line numbers of the reviewed code, as the findings use them. A removed
// line has the number of the line that follows it.
import { type DiffLine, type FileDiff, parseDiff } from '../../../domain/text/unified-diff.ts'
import { cutLine } from '../shorten.ts'
import { type IssueLocation, MAX_EXCERPT_LINE, parseLineRange } from './code-excerpts.ts'

/** Lines on either side; the first that lets everything fit is used. */
const CONTEXT_LINES = [20, 8, 3]
/** Lines shown for a finding that names no line. */
const FIRST_LINES = 60
const SIGN = { both: ' ', old: '-', new: '+' } as const

/** Empty if nothing near the findings was changed. */
export function renderNearbyHunks(diff: string, spots: readonly IssueLocation[], limit: number): string {
  const files = parseDiff(diff)
  let shown = ''
  for (const around of CONTEXT_LINES) {
    shown = files.flatMap((file) => renderFileHunks(file, spots, around)).join('\n\n')
    if (shown.length <= limit) break
  }
  return shown
}

function renderFileHunks({ path, hunks, kind }: FileDiff, all: readonly IssueLocation[], around: number): string[] {
  const spots = all.filter(({ file }) => file === path)
  if (spots.length === 0 || kind === 'deleted') return []
  const ranges = spots.flatMap((spot) => parseLineRange(spot) ?? [])
  const isNear = ({ line }: DiffLine) =>
    ranges.some(({ first, last }) => line >= first - around && line <= last + around)
  let left = ranges.length < spots.length ? FIRST_LINES : 0
  const pieces = hunks.flatMap((hunk) => {
    const near = hunk.filter((line) => isNear(line) || left-- > 0)
    return near.some(({ side }) => side !== 'both') ? [near.map(renderLine).join('\n')] : []
  })
  return pieces.length === 0
    ? []
    : [`${path} (${spots.map(({ issue_code }) => issue_code).join(', ')})\n${pieces.join('\n…\n')}`]
}

function renderLine({ side, text, line }: DiffLine): string {
  return `${line} ${SIGN[side]} ${cutLine(text, MAX_EXCERPT_LINE)}`
}
