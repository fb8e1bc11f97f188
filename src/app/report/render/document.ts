// A report as a document: headings, lists, a table, and texts to fold out. What it says is decided here, once; how it is written,
// and made harmless, is the business of each format. Everything in it may be somebody else's words.
import { basename } from 'node:path'
import { costInWords, dollars } from '../../../domain/budget/spending.ts'
import { listed } from '../../../domain/text/join-list.ts'
import type { Decision, FinalStatus, IssueReport, Report } from '../report-model.ts'
import { sandboxWords } from '../sandbox.ts'
import type { Block, Inline, Line, Room } from './blocks.ts'
import type { Shown } from './collapsible.ts'
import { evidenceOf, labelled, placeOf, STATES } from './issue-evidence.ts'
import { cut, timeInWords } from './text.ts'

const FINAL: Readonly<Record<FinalStatus, string>> = {
  running: 'The session is not over: this is what there is so far.',
  passed: 'Everything is fixed, and the verification passed on what is committed.',
  unverified: 'Everything is fixed, but no command of a verification proves it.',
  failed: 'Not everything is fixed.',
  skipped: 'Nothing was fixed, and nothing failed.',
  cancelled: 'The session was cancelled: what had been committed stays.',
}

const ELSEWHERE = 'the formats html and json have them.'

export function headlineOf({ counts }: Report): string {
  return `${counts.fixed} of ${counts.requested} issue(s) fixed`
}

export function documentOf(report: Report, room: Room): Block[] {
  const { issues, commits, decisions, session_id } = report
  const shown = issues.slice(0, room.rows)
  const told = issues.slice(0, room.evidence)
  const shownAlready: Shown = new Map()
  const left = issues.length - told.length
  const isWithoutTexts = room.diff === 0 && told.some(({ diff }) => diff !== null)
  return [
    { kind: 'heading', level: 1, text: [`Fixwright: ${headlineOf(report)}`] },
    paragraph({ strong: lastWordOf(report) }),
    { kind: 'list', items: factsOf(report, room) },
    { kind: 'heading', level: 2, text: ['Issues'] },
    {
      kind: 'table',
      head: ['issue', 'result', 'severity', 'title', 'file', 'challenger', 'attempts', 'cost'],
      rows: shown.map((issue) => rowOf(issue, report)),
    },
    ...(issues.length > shown.length ? [paragraph(`and ${issues.length - shown.length} more`)] : []),
    ...sectionOf(
      'Commits',
      commits.slice(0, room.rows).map((commit) => commitLine(commit, report)),
    ),
    ...sectionOf(
      'What people decided',
      decisions.slice(0, room.rows).map((each) => decisionLine(each, room)),
    ),
    ...(told.length > 0 ? [{ kind: 'heading', level: 2, text: ['Evidence'] } as const] : []),
    ...told.flatMap((issue) => evidenceOf(issue, session_id, room, shownAlready)),
    ...(left > 0 ? [paragraph(`There is no room for the evidence of ${left} issue(s) here: ${ELSEWHERE}`)] : []),
    ...(isWithoutTexts ? [paragraph(`There is no room for diffs and outputs here: ${ELSEWHERE}`)] : []),
    paragraph('All prompts, replies and transcripts: ', { code: `fixwright logs ${session_id}` }),
  ]
}

/** What passes the gate may be red as it was before: it must not be read as green. */
function lastWordOf({ final_status, issues }: Report): string {
  const runs = issues.flatMap(({ state, verification }) => (state === 'fixed' ? (verification?.commands ?? []) : []))
  const red = runs.filter(({ after }) => after !== null && after !== 'passed').map(({ command }) => command)
  if (final_status !== 'passed' || red.length === 0) return FINAL[final_status]
  const which = listed([...new Set(red)].map((command) => cut(command, 80)))
  return `Everything is fixed, and nothing that is checked is newly broken. On what is committed not every check passes: ${which}`
}

function paragraph(...text: readonly Inline[]): Block {
  return { kind: 'paragraph', text }
}

function sectionOf(title: string, items: readonly Line[]): Block[] {
  if (items.length === 0) return []
  return [
    { kind: 'heading', level: 2, text: [title] },
    { kind: 'list', items },
  ]
}

function factsOf(report: Report, room: Room): Line[] {
  const { session_id, status, counts, duration_ms, repository, branch, base, ending: end, waiting } = report
  const spent = `${timeInWords(duration_ms, report.budgets)}, ${costInWords(report, report.budgets)}`
  const from: Line = base === null ? [] : [', from ', { code: base.slice(0, 10) }]
  const figures = ` ${status}, ${counts.failed} failed, ${counts.skipped} skipped, ${spent}`
  return [
    [{ strong: 'session' }, ' ', { code: session_id }, figures],
    // The folder's name is enough: where it lies on somebody's machine is nobody else's business.
    [{ strong: 'repository' }, ' ', { code: basename(repository) }],
    ...(branch === null ? [] : [[{ strong: 'branch' }, ' ', { code: branch }, ...from]]),
    ...labelled(room, 'agents ran in', sandboxWords(report.sandbox)),
    ...labelled(room, 'waits for', waiting?.reason),
    ...labelled(room, 'ended because', end?.reason),
  ]
}

function rowOf(issue: IssueReport, { budgets }: Report): Line[] {
  const { issue_code, state, severity, title, unproven, proof, silenced, iterations, outcome, challenges } = issue
  const marks = [
    STATES[state],
    unproven && 'unproven',
    proof?.verdict === 'proven' && 'proven',
    silenced.length > 0 && 'silences checks?',
  ]
  // Of what is committed, or of the last attempt.
  const score = outcome?.fix_gemini_score ?? challenges.at(-1)?.score ?? ''
  const cells = [issue_code, marks.filter(Boolean).join(', '), severity, cut(title, 120), cut(placeOf(issue), 120)]
  return [...cells, String(score), String(iterations), dollars(issue, budgets?.issue_usd)].map((cell) => [cell])
}

function commitLine({ sha, message, issue_codes }: Report['commits'][number], { issues }: Report): Line {
  const own = issues.filter((issue) => issue_codes.includes(issue.issue_code))
  const verified = own.find(({ verification }) => verification)?.verification
  const silenced = new Set(own.flatMap((issue) => issue.silenced.map(({ file, line }) => `${file}:${line}`))).size
  const proven = own.flatMap(({ issue_code: code, proof }) => (proof?.verdict === 'proven' ? [code] : []))
  const proof = [
    own.some(({ unproven }) => unproven) && 'unproven: neither challenged nor verified',
    verified && `verification ${verified.verdict}`,
    proven.length > 0 && `proven by tests: ${proven.join(', ')}`,
    silenced > 0 && `${silenced} place(s) may silence a check`,
  ]
  const words = [message.split('\n', 1)[0], issue_codes.join(', '), ...proof.filter(Boolean)]
  return [{ code: sha.slice(0, 10) }, ` ${words.join(' · ')}`]
}

function decisionLine({ at, kind, by, from, words, issue_codes }: Decision, room: Room): Line {
  const about = issue_codes.length === 0 ? '' : ` (${issue_codes.join(', ')})`
  return [{ strong: kind }, `${about} by ${by}, from ${from}, ${at}: ${cut(words, room.words)}`]
}
