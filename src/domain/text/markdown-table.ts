// A table in Markdown, as Temporal's UI and forges show it. A cell may hold any text: no bar or line break of it ends the cell.
import { toOneLine } from './truncate.ts'

export function renderMarkdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  return [renderRow(head), `|${head.map(() => '---|').join('')}`, ...rows.map(renderRow)].join('\n')
}

function renderRow(cells: readonly (string | number | undefined)[]): string {
  return `| ${cells.map((cell) => toOneLine(`${cell ?? ''}`).replaceAll('|', '/')).join(' | ')} |`
}
