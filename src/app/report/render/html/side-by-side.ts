// Shows a diff with the old lines beside the new ones; on a narrow screen, below each other. What is no diff stays as it is.
import { type DiffLine, type FileDiff, type Hunk, parseDiff } from '../../../../domain/text/unified-diff.ts'
import { escapeHtml, toPlainText } from '../text.ts'

export function renderDiff(text: string): string {
  const files = parseDiff(text)
  return files.length === 0 ? `<pre>${escapeText(text)}</pre>` : files.map(renderFile).join('\n')
}

function renderFile(file: FileDiff): string {
  const { path, from, kind, hunks, isBinary } = file
  const name = from === undefined ? path : `${from} → ${path}`
  const starts = [...file.text.matchAll(/^@@ -(\d+)[^\n]*/gm)]
  const body = hunks.map((hunk, index) => {
    const [header = '', start = '1'] = starts[index] ?? []
    return `<p>${escapeText(header)}</p>\n${renderHunk(hunk, Number(start))}`
  })
  const note = isBinary ? '<p>a binary file</p>' : ''
  return `<div class="diff"><h4>${escapeText(name)}${kind === 'modified' ? '' : ` (${kind})`}</h4>${note}${body.join('\n')}</div>`
}

interface NumberedLine extends DiffLine {
  readonly oldLine: number
}

function renderHunk(hunk: Hunk, start: number): string {
  let oldLine = start
  const lines = hunk.map((line): NumberedLine => {
    const numbered = { ...line, oldLine }
    if (line.side !== 'new') oldLine += 1
    return numbered
  })
  const rows: string[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]
    if (line === undefined) break
    if (line.side === 'both') {
      rows.push(
        renderRow(
          renderCell('span', line.oldLine, ` ${line.text}`, 'twin'),
          renderCell('span', line.line, ` ${line.text}`),
        ),
      )
      at += 1
      continue
    }
    const end = lines.findIndex(({ side }, index) => index >= at && side === 'both')
    const changed = lines.slice(at, end < 0 ? lines.length : end)
    const [removed, added] = [
      changed.filter(({ side }) => side === 'old'),
      changed.filter(({ side }) => side === 'new'),
    ]
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1) {
      const [before, after] = [removed[row], added[row]]
      rows.push(
        renderRow(
          before ? renderCell('del', before.oldLine, `-${before.text}`) : NOTHING,
          after ? renderCell('ins', after.line, `+${after.text}`) : NOTHING,
        ),
      )
    }
    at += changed.length
  }
  return rows.join('\n')
}

const NOTHING = '<span class="none"></span>'

function renderRow(before: string, after: string): string {
  return `<div>${before}${after}</div>`
}

function renderCell(tag: 'span' | 'ins' | 'del', line: number, text: string, name?: string): string {
  return `<${tag}${name ? ` class="${name}"` : ''}><i>${line}</i>${escapeText(text)}</${tag}>`
}

function escapeText(text: string): string {
  return escapeHtml(toPlainText(text))
}
