// Turns a report into headings, lists, a table and foldable text. The wording is decided here; each format only writes
// it and escapes it, as any of the text may come from others.

import { basename } from 'node:path'
import { formatCost, formatDollars } from '../../../domain/budget/spending.ts'
import { describeTrain } from '../../../domain/commit/trailers.ts'
import { joinList } from '../../../domain/text/join-list.ts'
import { truncateText } from '../../../domain/text/truncate.ts'
import { describeCheckTimes } from '../check-time.ts'
import type { FinalStatus, IssueReport, PersonDecision, Report } from '../report-model.ts'
import { describeSandboxReport } from '../sandbox-report.ts'
import { type Block, type Inline, type InlineLine, linkIssues, type RenderLimits } from './blocks.ts'
import { buildCheckSection } from './check-section.ts'
import type { ShownTexts } from './collapsible.ts'
import { buildIssueEvidence, formatLocation, STATE_LABELS, toLabelledLine } from './issue-evidence.ts'
import { formatTimeSpent } from './text.ts'

const CONCLUSIONS: Readonly<Record<FinalStatus, string>> = {
  running: 'The session is not over: this is what there is so far.',
  passed: 'Everything is fixed, and the verification passed on what is committed.',
  unproven: 'Everything is fixed, but no command of a verification proves all of it.',
  failed: 'Not everything is fixed.',
  skipped: 'Nothing was fixed, and nothing failed.',
  cancelled: 'The session was cancelled: what had been committed stays.',
}

const OTHER_FORMATS_HINT = 'the formats html and json have them.'

export function formatHeadline({ counts }: Report): string {
  return `${counts.fixed} of ${counts.requested} issue(s) fixed`
}

export function buildDocument(report: Report, room: RenderLimits): Block[] {
  const { issues, session_id } = report
  const shown = issues.slice(0, room.rows)
  const evidenced = issues.slice(0, room.evidence)
  const shownAlready: ShownTexts = new Map()
  const left = issues.length - evidenced.length
  const isWithoutTexts = room.diff === 0 && evidenced.some(({ diff }) => diff !== null)
  return [
    ...buildHead(report, room),
    ...buildListSection('Not proven', buildUnprovenLines(report, room)),
    { kind: 'heading', level: 2, text: ['Issues'] },
    {
      kind: 'table',
      head: ['issue', 'result', 'severity', 'title', 'file', 'challenger', 'attempts', 'cost'],
      rows: shown.map((issue) => buildIssueRow(issue, report)),
    },
    ...(issues.length > shown.length ? [toParagraph(`and ${issues.length - shown.length} more`)] : []),
    ...buildCommitSection(report, room),
    ...buildDecisionSection(report, room),
    ...buildCheckSection(issues, room),
    ...buildListSection(
      'Time in setup and checks',
      describeCheckTimes(report.check_times, report.duration_ms).map((line) => [line]),
    ),
    ...(evidenced.length > 0 ? [{ kind: 'heading', level: 2, text: ['Evidence'] } as const] : []),
    ...evidenced.flatMap((issue) => buildIssueEvidence(issue, report, room, shownAlready)),
    ...(left > 0
      ? [toParagraph(`There is no room for the evidence of ${left} issue(s) here: ${OTHER_FORMATS_HINT}`)]
      : []),
    ...(isWithoutTexts ? [toParagraph(`There is no room for diffs and outputs here: ${OTHER_FORMATS_HINT}`)] : []),
    toParagraph('All prompts, replies and transcripts: ', { code: `fixwright logs ${session_id}` }),
  ]
}

/** The headline, the conclusion and the facts of the session. */
export function buildHead(report: Report, room: RenderLimits): Block[] {
  return [
    { kind: 'heading', level: 1, text: [`Fixwright: ${formatHeadline(report)}`] },
    toParagraph({ strong: formatConclusion(report) }),
    { kind: 'list', items: buildFactLines(report, room) },
  ]
}

/** What is committed and no command proves, and what may keep a command from seeing it. */
export function buildUnprovenLines({ issues }: Report, room: RenderLimits): InlineLine[] {
  const fixed = issues.filter(({ state }) => state === 'fixed').slice(0, room.rows)
  const reasons = Map.groupBy(
    fixed.filter(({ unproven }) => unproven !== null),
    ({ unproven }) => unproven ?? '',
  )
  const silencing = fixed.filter(({ silenced }) => silenced.length > 0)
  return [
    ...[...reasons].map(([reason, own]): InlineLine => {
      return [...linkIssues(own.map(({ issue_code }) => issue_code)), `: ${truncateText(reason, room.words)}`]
    }),
    ...silencing.map(({ issue_code, silenced }): InlineLine => {
      return [{ issue: issue_code }, `: ${silenced.length} place(s) may silence a check`]
    }),
  ]
}

export function buildCommitSection(report: Report, room: RenderLimits): Block[] {
  const lines = report.commits.slice(0, room.rows).map((commit) => formatCommitLine(commit, report))
  return buildListSection('Commits', lines)
}

export function buildDecisionSection({ decisions }: Report, room: RenderLimits): Block[] {
  const lines = decisions.slice(0, room.rows).map((each) => formatDecisionLine(each, room))
  return buildListSection('What people decided', lines)
}

/** The gate accepts commands that failed before as well; the conclusion must not make them look green. */
function formatConclusion({ final_status, issues }: Report): string {
  const runs = issues.flatMap(({ state, verification }) => (state === 'fixed' ? (verification?.commands ?? []) : []))
  const red = runs.filter(({ after }) => after !== null && after !== 'passed').map(({ command }) => command)
  if (final_status !== 'passed' || red.length === 0) return CONCLUSIONS[final_status]
  const which = joinList([...new Set(red)].map((command) => truncateText(command, 80)))
  return `Everything is fixed, and nothing that is checked is newly broken. On what is committed not every check passes: ${which}`
}

function toParagraph(...text: readonly Inline[]): Block {
  return { kind: 'paragraph', text }
}

function buildListSection(title: string, items: readonly InlineLine[]): Block[] {
  if (items.length === 0) return []
  return [
    { kind: 'heading', level: 2, text: [title] },
    { kind: 'list', items },
  ]
}

function buildFactLines(report: Report, room: RenderLimits): InlineLine[] {
  const { session_id, status, counts, duration_ms, repository, branch, base, ending: end, waiting } = report
  const spent = `${formatTimeSpent(duration_ms, report.budgets)}, ${formatCost(report, report.budgets)}`
  const from: InlineLine = base === null ? [] : [', from ', { code: base.slice(0, 10) }]
  const figures = ` ${status}, ${counts.failed} failed, ${counts.skipped} skipped, ${spent}`
  return [
    [{ strong: 'session' }, ' ', { code: session_id }, figures],
    // Only the folder's name is shown: its place on a machine concerns nobody else.
    [{ strong: 'repository' }, ' ', { code: basename(repository) }],
    ...(branch === null ? [] : [[{ strong: 'branch' }, ' ', { code: branch }, ...from]]),
    ...toLabelledLine(room, 'agents ran in', describeSandboxReport(report.sandbox)),
    ...toLabelledLine(room, 'waits for', waiting?.reason),
    ...toLabelledLine(room, 'ended because', end?.reason),
  ]
}

function buildIssueRow(issue: IssueReport, { budgets }: Report): InlineLine[] {
  const { issue_code, state, severity, title, unproven, proof, silenced, iterations, outcome, challenges } = issue
  const marks = [
    STATE_LABELS[state],
    unproven !== null && 'unproven',
    proof?.verdict === 'proven' && 'proven',
    silenced.length > 0 && 'silences checks?',
  ]
  // The score of the committed change, else of the last attempt.
  const score = outcome?.fix_gemini_score ?? challenges.at(-1)?.score ?? ''
  const cells = [
    issue_code,
    marks.filter(Boolean).join(', '),
    severity,
    truncateText(title, 120),
    truncateText(formatLocation(issue), 120),
  ]
  return [...cells, String(score), String(iterations), formatDollars(issue, budgets?.issue_usd)].map((cell) => [cell])
}

function formatCommitLine(
  { sha, message, issue_codes, train }: Report['commits'][number],
  { issues }: Report,
): InlineLine {
  const own = issues.filter((issue) => issue_codes.includes(issue.issue_code))
  const verified = own.find(({ verification }) => verification)?.verification
  const silenced = new Set(own.flatMap((issue) => issue.silenced.map(({ file, line }) => `${file}:${line}`))).size
  const proven = own.flatMap(({ issue_code: code, proof }) => (proof?.verdict === 'proven' ? [code] : []))
  const proof = [
    own.some(({ unproven }) => unproven !== null) && 'unproven',
    verified && `verification ${verified.verdict}`,
    train && `commit ${describeTrain(train)}`,
    proven.length > 0 && `proven by tests: ${proven.join(', ')}`,
    silenced > 0 && `${silenced} place(s) may silence a check`,
  ]
  const evidence = proof.filter(Boolean).map((each) => ` · ${each}`)
  return [{ code: sha.slice(0, 10) }, ` ${message.split('\n', 1)[0]} · `, ...linkIssues(issue_codes), ...evidence]
}

function formatDecisionLine({ at, kind, by, from, text, issue_codes }: PersonDecision, room: RenderLimits): InlineLine {
  const about = issue_codes.length === 0 ? '' : ` (${issue_codes.join(', ')})`
  return [{ strong: kind }, `${about} by ${by}, from ${from}, ${at}: ${truncateText(text, room.words)}`]
}
