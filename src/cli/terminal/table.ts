// Rows under each other, for people. A program asks for JSON.
import { stripVTControlCharacters } from 'node:util'
import { cut } from './console.ts'

/** Every column as wide as its widest cell; the last one takes what the terminal has left. Cells may be coloured, but for the last. */
export function table(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, width(cell))
  }
  return rows.map((row) => line(row, widths, indent)).join('\n')
}

function line(row: readonly string[], widths: readonly number[], indent: string): string {
  let text = indent
  let taken = indent.length
  for (const [column, cell] of row.entries()) {
    if (column === row.length - 1) return (text + cut(cell, process.stdout, taken)).trimEnd()
    const room = (widths[column] ?? 0) + 2
    text += cell + ' '.repeat(room - width(cell))
    taken += room
  }
  return text
}

function width(cell: string): number {
  return [...stripVTControlCharacters(cell)].length
}

/** How long ago, as one would say it. */
export function ago(timestamp: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(timestamp)) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} d ago`
}
