// Renders a report as one self-contained page: no script, nothing loaded, links only within the page, and a policy that enforces this.
// What nothing proves comes first, then a summary line for each finding, with its evidence folded below.

import type { IssueReport, Report } from '../../report-model.ts'
import type { Block, Inline } from '../blocks.ts'
import { buildCheckSection } from '../check-section.ts'
import { buildDiffBlocks, type ShownTexts } from '../collapsible.ts'
import { buildCommitSection, buildDecisionSection, buildHead, buildUnprovenLines, formatHeadline } from '../document.ts'
import { buildEvidenceLines, formatFindingFacts, STATE_LABELS } from '../issue-evidence.ts'
import { escapeHtml, toPlainLineSpaced, toPlainText } from '../text.ts'
import { renderDiff } from './side-by-side.ts'
import { STYLE, STYLE_HASH } from './style.ts'

const HTML_LIMITS = { diff: 100_000, output: 20_000, words: 4_000, rows: 10_000, evidence: 10_000 }
/** So few findings are shown unfolded. */
const MAX_OPEN = 3

/** `more` comes after the report's own parts. */
export function renderHtml(report: Report, more: readonly Block[] = []): string {
  const rest = more.map((block) => renderBlock(block, new Map()))
  return renderPage(formatHeadline(report), [renderBody(report), ...rest].join('\n'))
}

export function renderBlockPage(title: string, blocks: readonly Block[]): string {
  return renderPage(title, blocks.map((block) => renderBlock(block, new Map())).join('\n'))
}

function renderPage(title: string, body: string): string {
  const policy = `default-src 'none'; style-src '${STYLE_HASH}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fixwright: ${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`
}

function renderBody(report: Report): string {
  const { issues } = report
  const anchors = new Map(issues.map(({ issue_code }, index) => [issue_code, `finding-${index + 1}`]))
  const render = (blocks: readonly Block[]): string => blocks.map((block) => renderBlock(block, anchors)).join('\n')
  const unproven = buildUnprovenLines(report, HTML_LIMITS)
  const shown: ShownTexts = new Map()
  const findings = issues.toSorted((one, other) => rankFinding(one) - rankFinding(other))
  return [
    render(buildHead(report, HTML_LIMITS)),
    unproven.length > 0
      ? `<section class="doubt">\n<h2>Not proven</h2>\n${render([{ kind: 'list', items: unproven }])}\n</section>`
      : '',
    '<h2>Findings</h2>',
    ...findings.map((issue) => {
      const lines = { kind: 'list', items: buildEvidenceLines(issue, report, HTML_LIMITS) } as const
      const evidence = [lines, ...buildDiffBlocks(issue, HTML_LIMITS, shown)]
      const open = findings.length <= MAX_OPEN ? ' open' : ''
      const id = anchors.get(issue.issue_code)
      return `<details class="finding"${open}>${renderSummary(issue, report)}<div id="${id}">\n${render(evidence)}\n</div></details>`
    }),
    render(buildCommitSection(report, HTML_LIMITS)),
    render(buildDecisionSection(report, HTML_LIMITS)),
    render(buildCheckSection(issues, HTML_LIMITS)),
    `<p class="dim">All prompts, replies and transcripts: <code>fixwright logs ${renderText(report.session_id)}</code></p>`,
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** What a reader has to look at comes first: commits that nothing proves, then what is not fixed. */
function rankFinding({ state, unproven, silenced }: IssueReport): number {
  if (state === 'fixed') return unproven !== null || silenced.length > 0 ? 0 : 3
  return state === 'failed' ? 1 : state === 'open' || state === 'skipped' ? 2 : 4
}

function renderSummary(issue: IssueReport, report: Report): string {
  const { issue_code, title, state, unproven } = issue
  const isDoubtful = state === 'fixed' && unproven !== null
  const label = `${STATE_LABELS[state]}${isDoubtful ? ', unproven' : ''}`
  const name = isDoubtful ? 'unproven' : state === 'fixed' || state === 'failed' ? state : 'other'
  const facts = formatFindingFacts(issue, report)
  return `<summary><span class="state ${name}">${renderText(label)}</span> <b>${renderText(issue_code)}</b> ${renderText(title)} <span class="dim">${renderText(facts)}</span></summary>`
}

type Anchors = ReadonlyMap<string, string>

function renderBlock(block: Block, anchors: Anchors): string {
  const inline = (parts: readonly Inline[]) => renderInline(parts, anchors)
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${inline(block.text)}</h${block.level}>`
    case 'paragraph':
      return `<p>${inline(block.text)}</p>`
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</ul>`
    case 'table': {
      const rows = [block.head.map((name) => [name]), ...block.rows]
      return `<ul>\n${rows.map((cells) => `<li>${cells.map(inline).join(' ')}</li>`).join('\n')}\n</ul>`
    }
    case 'fold': {
      const title = `<summary>${inline(block.title)}</summary>`
      if (block.language === 'diff') return `<details open>${title}\n${renderDiff(block.text)}</details>`
      return `<details>${title}<pre>${escapeHtml(toPlainText(block.text))}</pre></details>`
    }
  }
}

function renderInline(parts: readonly Inline[], anchors: Anchors): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return renderText(part)
      if ('issue' in part) {
        const id = anchors.get(part.issue)
        return id === undefined ? renderText(part.issue) : `<a href="#${id}">${renderText(part.issue)}</a>`
      }
      return 'code' in part ? `<code>${renderText(part.code)}</code>` : `<strong>${renderText(part.strong)}</strong>`
    })
    .join('')
}

function renderText(text: string): string {
  return escapeHtml(toPlainLineSpaced(text))
}
