// Formats rows as a table for people; programs use JSON.
import { stripVTControlCharacters } from 'node:util'
import { measureWidth } from '../../app/format-values.ts'
import { truncateToWidth } from './console.ts'

/** A wider cell moves what follows it in its own row, and leaves the other rows where they are. */
const MAX_COLUMN_WIDTH = 60

/** The last column takes the rest of the terminal. All cells but those of the last column may be coloured. */
export function formatTable(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Math.min(measureCell(cell), MAX_COLUMN_WIDTH))
    }
  }
  return rows.map((row) => formatTableLine(row, widths, indent)).join('\n')
}

function formatTableLine(row: readonly string[], widths: readonly number[], indent: string): string {
  let text = indent
  let taken = indent.length
  for (const [column, cell] of row.entries()) {
    if (column === row.length - 1) return (text + truncateToWidth(cell, process.stdout, taken)).trimEnd()
    const room = Math.max(widths[column] ?? 0, measureCell(cell)) + 2
    text += cell + ' '.repeat(room - measureCell(cell))
    taken += room
  }
  return text
}

export function measureCell(cell: string): number {
  return measureWidth(stripVTControlCharacters(cell))
}

export function formatAge(timestamp: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(timestamp)) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} d ago`
}
