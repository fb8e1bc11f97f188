// Renders a report as one self-contained page: no script, no link, nothing loaded, and a policy that enforces this.

import type { Report } from '../report-model.ts'
import type { Block, Inline } from './blocks.ts'
import { buildDocument, formatHeadline } from './document.ts'
import { escapeHtml, toPlainLineSpaced, toPlainText } from './text.ts'

const HTML_LIMITS = { diff: 100_000, output: 20_000, words: 4_000, rows: 10_000, evidence: 10_000 }

const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328; background: #fff }
table { border-collapse: collapse } th, td { border: 1px solid #d1d9e0; padding: .3rem .6rem; text-align: left; overflow-wrap: anywhere }
code, pre { font: 13px/1.45 ui-monospace, monospace; background: #f6f8fa } code { padding: .1rem .3rem; overflow-wrap: anywhere }
pre { padding: .8rem; overflow: auto } summary { cursor: pointer }
@media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117 } code, pre { background: #161b22 } th, td { border-color: #3d444d } }`

export function renderHtml(report: Report): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<title>Fixwright: ${escapeHtml(formatHeadline(report))}</title>
<style>
${STYLE}
</style>
</head>
<body>
${buildDocument(report, HTML_LIMITS).map(renderBlock).join('\n')}
</body>
</html>
`
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${renderInline(block.text)}</h${block.level}>`
    case 'paragraph':
      return `<p>${renderInline(block.text)}</p>`
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li>${renderInline(item)}</li>`).join('\n')}\n</ul>`
    case 'table': {
      const head = block.head.map((name) => `<th>${escapeHtml(name)}</th>`).join('')
      const rows = block.rows.map(
        (cells) => `<tr>${cells.map((cell) => `<td>${renderInline(cell)}</td>`).join('')}</tr>`,
      )
      return `<table>\n<tr>${head}</tr>\n${rows.join('\n')}\n</table>`
    }
    case 'fold':
      return `<details><summary>${renderInline(block.title)}</summary><pre>${escapeHtml(toPlainText(block.text))}</pre></details>`
  }
}

function renderInline(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return renderText(part)
      return 'code' in part ? `<code>${renderText(part.code)}</code>` : `<strong>${renderText(part.strong)}</strong>`
    })
    .join('')
}

function renderText(text: string): string {
  return escapeHtml(toPlainLineSpaced(text))
}
