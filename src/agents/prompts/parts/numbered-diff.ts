// Renders a diff with the number of each line, so that a reader without the files can name places: new numbers, and old ones behind a minus.
import { type FileDiff, type Hunk, parseDiff } from '../../../domain/text/unified-diff.ts'

export function renderNumberedDiff(diff: string): string {
  return parseDiff(diff).map(renderFile).join('\n')
}

function renderFile({ path, from, kind, hunks, isBinary, text }: FileDiff): string {
  const head = `### ${path} (${kind}${from === undefined ? '' : ` from ${from}`})`
  if (isBinary) return `${head}\nbinary\n`
  const starts = listOldStarts(text)
  const shown = hunks.map((hunk, index) => renderHunk(hunk, starts[index] ?? 1))
  return `${[head, ...shown].join('\n@@\n')}\n`
}

/** Only the header of a hunk names the old lines. */
function listOldStarts(text: string): number[] {
  return [...text.matchAll(/^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/gm)].map(([, start]) => Number(start))
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
