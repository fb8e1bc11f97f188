// Renders a diff with the number of each line, so that a reader without the files can name places: new numbers, and old ones behind a minus.
import { type FileDiff, type Hunk, listOldStarts, parseDiff } from '../../../domain/text/unified-diff.ts'

export function renderNumberedDiff(diff: string): string {
  return parseDiff(diff).map(renderFile).join('\n')
}

function renderFile(file: FileDiff): string {
  const { path, from, kind, hunks, isBinary } = file
  const head = `### ${path} (${kind}${from === undefined ? '' : ` from ${from}`})`
  if (isBinary) return `${head}\nbinary\n`
  const starts = listOldStarts(file)
  const shown = hunks.map((hunk, index) => renderHunk(hunk, starts[index] ?? 1))
  return `${[head, ...shown].join('\n@@\n')}\n`
}

function renderHunk(hunk: Hunk, start: number): string {
  let old = start
  return hunk
    .map(({ side, text, line }) => {
      const number = side === 'old' ? -old : line
      if (side !== 'new') old += 1
      return `${String(number).padStart(6)} ${{ both: ' ', old: '-', new: '+' }[side]} ${text}`
    })
    .join('\n')
}
