// Of the change that was reviewed, what lies near the findings: lines of a diff with the numbers that they have in the code that was
// reviewed, as the findings' are. Of a line that was taken away, the number of the one that follows it.
import { type DiffLine, type FileDiff, readDiff } from '../../../domain/tampering/unified-diff.ts'
import { cutLine } from '../shorten.ts'
import { MOST_OF_A_LINE, rangeOf, type Spot } from './code-excerpts.ts'

/** Lines on either side: the first of these that lets everything fit. */
const AROUND = [20, 8, 3]
/** Of a finding that names no line. */
const FIRST_LINES = 60
const SIGN = { both: ' ', old: '-', new: '+' } as const

/** Empty where nothing near them was changed. */
export function hunksNear(diff: string, spots: readonly Spot[], limit: number): string {
  const files = readDiff(diff)
  let shown = ''
  for (const around of AROUND) {
    shown = files.flatMap((file) => pieceOf(file, spots, around)).join('\n\n')
    if (shown.length <= limit) break
  }
  return shown
}

function pieceOf({ path, hunks, kind }: FileDiff, all: readonly Spot[], around: number): string[] {
  const spots = all.filter(({ file }) => file === path)
  if (spots.length === 0 || kind === 'deleted') return []
  const ranges = spots.flatMap((spot) => rangeOf(spot) ?? [])
  const isNear = ({ line }: DiffLine) =>
    ranges.some(({ first, last }) => line >= first - around && line <= last + around)
  let left = ranges.length < spots.length ? FIRST_LINES : 0
  const pieces = hunks.flatMap((hunk) => {
    const near = hunk.filter((line) => isNear(line) || left-- > 0)
    return near.some(({ side }) => side !== 'both') ? [near.map(shownLine).join('\n')] : []
  })
  return pieces.length === 0
    ? []
    : [`${path} (${spots.map(({ issue_code }) => issue_code).join(', ')})\n${pieces.join('\n…\n')}`]
}

function shownLine({ side, text, line }: DiffLine): string {
  return `${line} ${SIGN[side]} ${cutLine(text, MOST_OF_A_LINE)}`
}
