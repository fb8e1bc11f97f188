// A report as one page that needs nothing else: no script, no link, nothing is loaded, and a policy that says so to the browser.

import type { Report } from '../report-model.ts'
import type { Block, Inline } from './blocks.ts'
import { documentOf, headlineOf } from './document.ts'
import { escapedForHtml, plain, spaced } from './text.ts'

const ROOM = { diff: 100_000, output: 20_000, words: 4_000, rows: 10_000, evidence: 10_000 }

const STYLE = `body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328; background: #fff }
table { border-collapse: collapse } th, td { border: 1px solid #d1d9e0; padding: .3rem .6rem; text-align: left; overflow-wrap: anywhere }
code, pre { font: 13px/1.45 ui-monospace, monospace; background: #f6f8fa } code { padding: .1rem .3rem; overflow-wrap: anywhere }
pre { padding: .8rem; overflow: auto } summary { cursor: pointer }
@media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117 } code, pre { background: #161b22 } th, td { border-color: #3d444d } }`

export function reportAsHtml(report: Report): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<title>Fixwright: ${escapedForHtml(headlineOf(report))}</title>
<style>
${STYLE}
</style>
</head>
<body>
${documentOf(report, ROOM).map(blockOf).join('\n')}
</body>
</html>
`
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${inline(block.text)}</h${block.level}>`
    case 'paragraph':
      return `<p>${inline(block.text)}</p>`
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</ul>`
    case 'table': {
      const head = block.head.map((name) => `<th>${escapedForHtml(name)}</th>`).join('')
      const rows = block.rows.map((cells) => `<tr>${cells.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`)
      return `<table>\n<tr>${head}</tr>\n${rows.join('\n')}\n</table>`
    }
    case 'fold':
      return `<details><summary>${inline(block.title)}</summary><pre>${escapedForHtml(plain(block.text))}</pre></details>`
  }
}

function inline(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return words(part)
      return 'code' in part ? `<code>${words(part.code)}</code>` : `<strong>${words(part.strong)}</strong>`
    })
    .join('')
}

function words(text: string): string {
  return escapedForHtml(spaced(text))
}
