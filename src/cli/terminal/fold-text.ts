// Breaks lines between words, so that a terminal need not break them within one. A word that is too long for a line stays whole: it is a
// path or an address that somebody may want to copy.
import { stripVTControlCharacters } from 'node:util'
import { measureWidth } from '../../app/format-values.ts'

export function foldText(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY) return text
  return text
    .split('\n')
    .map((line) => foldLine(line, columns))
    .join('\n')
}

function foldLine(line: string, columns: number): string {
  if (measureShown(line) <= columns) return line
  const indent = /^ */.exec(line)?.[0] ?? ''
  const lines: string[] = []
  let current = indent
  for (const word of line.slice(indent.length).split(' ')) {
    const isFirst = current.trim() === ''
    const longer = isFirst ? current + word : `${current} ${word}`
    if (!isFirst && measureShown(longer) > columns) {
      lines.push(current)
      current = `${indent}  ${word}`
    } else current = longer
  }
  return [...lines, current].join('\n')
}

function measureShown(text: string): number {
  return measureWidth(stripVTControlCharacters(text))
}
