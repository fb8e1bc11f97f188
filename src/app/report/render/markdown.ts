// A report for a pull request. Nothing in it that others wrote is more than text: no markup, no HTML, no link, nobody is mentioned,
// no issue is closed by a word in it; and it fits into the body of a pull request.

import type { Report } from '../report-model.ts'
import type { Block, Inline, Room } from './blocks.ts'
import { documentOf } from './document.ts'
import { escapedForHtml, oneLine, plain, spaced } from './text.ts'

/** GitHub takes 65,536 characters. */
export const MOST_OF_A_BODY = 60_000

/** The largest that fits is taken. */
const ROOMS: readonly Room[] = [
  { diff: 20_000, output: 6_000, words: 2_000, rows: 500, evidence: 500 },
  { diff: 6_000, output: 3_000, words: 1_000, rows: 500, evidence: 500 },
  { diff: 2_000, output: 1_000, words: 500, rows: 300, evidence: 300 },
  { diff: 600, output: 400, words: 300, rows: 200, evidence: 200 },
  { diff: 0, output: 0, words: 200, rows: 100, evidence: 50 },
  { diff: 0, output: 0, words: 100, rows: 60, evidence: 5 },
  { diff: 0, output: 0, words: 60, rows: 20, evidence: 0 },
]

export function reportAsMarkdown(report: Report): string {
  let text = ''
  for (const room of ROOMS) {
    text = `${documentOf(report, room).map(blockOf).join('\n\n')}\n`
    if (text.length <= MOST_OF_A_BODY) break
  }
  return text
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${inline(block.text)}`
    case 'paragraph':
      return inline(block.text)
    case 'list':
      return block.items.map((item) => `- ${inline(item)}`).join('\n')
    case 'table':
      return [
        row(block.head),
        row(block.head.map(() => '---')),
        ...block.rows.map((cells) => row(cells.map(cell))),
      ].join('\n')
    case 'fold':
      return `<details><summary>${summary(block.title)}</summary>\n\n${fenced(block.text, block.language)}\n\n</details>`
  }
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function inline(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return prose(part)
      return 'code' in part ? codeSpan(part.code) : `**${prose(part.strong).trim()}**`
    })
    .join('')
}

/** Where a bar would end a cell, and markup may not be read as such: no code. */
function cell(parts: readonly Inline[]): string {
  return parts.map((part) => prose(textOf(part))).join('')
}

function textOf(part: Inline): string {
  return typeof part === 'string' ? part : 'code' in part ? part.code : part.strong
}

/** One line of words that mean nothing to Markdown. Never at the beginning of a line. */
export function prose(text: string): string {
  return disarmed(spaced(text).replace(/[\\`*_{}[\]<>#+!|~$^&]/g, '\\$&'))
}

/** The line of a summary is HTML, to which Markdown is nothing. */
function summary(parts: readonly Inline[]): string {
  return parts.map((part) => disarmed(escapedForHtml(spaced(textOf(part))))).join('')
}

const INVISIBLE = '\u200b'

/** What a forge looks for in any text: people to mention, issues to close, addresses. It reads what is shown, so escapes are none. */
function disarmed(text: string): string {
  return text
    .replace(/@(?=\S)/g, `@${INVISIBLE}`)
    .replace(/(?<!&)#(?=\d)/g, `#${INVISIBLE}`)
    .replace(/\b(GH-)(?=\d)/gi, `$1${INVISIBLE}`)
    .replace(/:(?=\/\/)/g, `:${INVISIBLE}`)
    .replace(/\b(www)(?=\.)/gi, `$1${INVISIBLE}`)
}

export function codeSpan(text: string): string {
  const line = oneLine(text)
  if (line === '') return ''
  const marks = '`'.repeat(longestRun(line) + 1)
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${marks}${pad}${line}${pad}${marks}`
}

/** Longer than any run of the same mark in it, so that nothing in it is its end. */
export function fenced(text: string, language: string): string {
  const safe = plain(text).replace(/\n+$/, '')
  const fence = '`'.repeat(Math.max(3, longestRun(safe) + 1))
  return `${fence}${language}\n${safe}\n${fence}`
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
}
