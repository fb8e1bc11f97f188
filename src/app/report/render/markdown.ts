// Renders a report for the body of a pull request. Text from others becomes no markup or link, and closes no issue.

import type { Report } from '../report-model.ts'
import type { Block, Inline, RenderLimits } from './blocks.ts'
import { buildDocument } from './document.ts'
import { escapeHtml, toPlainLine, toPlainLineSpaced, toPlainText } from './text.ts'

/** GitHub takes 65,536 characters. */
export const MAX_BODY_CHARS = 60_000

/** The largest limits that fit are used. */
const LIMITS_BY_SIZE: readonly RenderLimits[] = [
  { diff: 20_000, output: 6_000, words: 2_000, rows: 500, evidence: 500 },
  { diff: 6_000, output: 3_000, words: 1_000, rows: 500, evidence: 500 },
  { diff: 2_000, output: 1_000, words: 500, rows: 300, evidence: 300 },
  { diff: 600, output: 400, words: 300, rows: 200, evidence: 200 },
  { diff: 0, output: 0, words: 200, rows: 100, evidence: 50 },
  { diff: 0, output: 0, words: 100, rows: 60, evidence: 5 },
  { diff: 0, output: 0, words: 60, rows: 20, evidence: 0 },
]

/** `more` comes after the report's own parts, whatever its size. */
export function renderMarkdown(report: Report, more: readonly Block[] = []): string {
  let text = ''
  for (const room of LIMITS_BY_SIZE) {
    text = renderBlocks([...buildDocument(report, room), ...more])
    if (text.length <= MAX_BODY_CHARS) break
  }
  return text
}

/** A document that has no limits to try. */
export function renderBlocks(blocks: readonly Block[]): string {
  return `${blocks.map(renderBlock).join('\n\n')}\n`
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${renderInline(block.text)}`
    case 'paragraph':
      return renderInline(block.text)
    case 'list':
      return block.items.map((item) => `- ${renderInline(item)}`).join('\n')
    case 'table':
      return [
        renderRow(block.head),
        renderRow(block.head.map(() => '---')),
        ...block.rows.map((cells) => renderRow(cells.map(renderCell))),
      ].join('\n')
    case 'fold':
      return `<details><summary>${renderSummary(block.title)}</summary>\n\n${renderFence(block.text, block.language)}\n\n</details>`
  }
}

function renderRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function renderInline(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return escapeProse(part)
      if ('issue' in part) return escapeProse(part.issue)
      return 'code' in part ? renderCodeSpan(part.code) : `**${escapeProse(part.strong).trim()}**`
    })
    .join('')
}

/** A cell has no code spans: a bar inside one would still end the cell. */
function renderCell(parts: readonly Inline[]): string {
  return parts.map((part) => escapeProse(getInlineText(part)).replaceAll('|', '\\|')).join('')
}

function getInlineText(part: Inline): string {
  if (typeof part === 'string') return part
  return 'code' in part ? part.code : 'issue' in part ? part.issue : part.strong
}

/**
 * What Markdown would read as markup within a line, and nothing else: an escape shows wherever Markdown is not rendered. An underscore
 * within a word, a bracket that no `(` follows, and `&` without an entity are plain text.
 */
const MARKUP =
  /[`<~$]|(?<=<[^>]*)>|\*(?!\s)|(?<!\s)\*|\\(?=[!-/:-@[-`{-~]|$)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\](?=[([:])|&(?=#?\w+;)/gu

/** Escapes one line for Markdown; not for use at the beginning of a line. */
export function escapeProse(text: string): string {
  return defuseForgeSyntax(toPlainLineSpaced(text).replace(MARKUP, '\\$&'))
}

/** The summary line is HTML, so it needs no Markdown escapes. */
function renderSummary(parts: readonly Inline[]): string {
  return parts.map((part) => defuseForgeSyntax(escapeHtml(toPlainLineSpaced(getInlineText(part))))).join('')
}

const ZERO_WIDTH_SPACE = '\u200b'

/** Breaks mentions, issue numbers and addresses, which a forge finds in the rendered text despite Markdown escapes. */
function defuseForgeSyntax(text: string): string {
  return text
    .replace(/@(?=\S)/g, `@${ZERO_WIDTH_SPACE}`)
    .replace(/(?<!(?<!\\)&)#(?=\d)/g, `#${ZERO_WIDTH_SPACE}`)
    .replace(/\b(GH-)(?=\d)/gi, `$1${ZERO_WIDTH_SPACE}`)
    .replace(/:(?=\/\/)/g, `:${ZERO_WIDTH_SPACE}`)
    .replace(/\b(www)(?=\.)/gi, `$1${ZERO_WIDTH_SPACE}`)
}

export function renderCodeSpan(text: string): string {
  const line = toPlainLine(text)
  if (line === '') return ''
  const marks = '`'.repeat(countLongestBacktickRun(line) + 1)
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${marks}${pad}${line}${pad}${marks}`
}

/** Makes the fence longer than any run of backticks inside, so that nothing inside ends it. */
export function renderFence(text: string, language: string): string {
  const safe = toPlainText(text).replace(/\n+$/, '')
  const fence = '`'.repeat(Math.max(3, countLongestBacktickRun(safe) + 1))
  return `${fence}${language}\n${safe}\n${fence}`
}

function countLongestBacktickRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
}
