// A report as a document: headings, lists, a table, and texts to fold out. What it says is decided here, once; how it is written,
// and made harmless, is the business of each format. Everything in it may be somebody else's words.
import { basename } from 'node:path'
import type { Comparison, Effect } from '../../domain/evidence.ts'
import { dollars } from '../../domain/session.ts'
import type { Challenge, Decision, FinalStatus, IssueReport, IssueState, IssueVerification, Report } from './record.ts'
import { beginning, cut, ending, seconds } from './text.ts'

/** Words, or what is shown as code, or as a label. */
export type Inline = string | { readonly code: string } | { readonly strong: string }

export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly text: readonly Inline[] }
  | { readonly kind: 'list'; readonly items: readonly (readonly Inline[])[] }
  | {
      readonly kind: 'table'
      readonly head: readonly string[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }
  | {
      readonly kind: 'fold'
      readonly title: readonly Inline[]
      readonly language: 'diff' | 'text'
      readonly text: string
    }

/** How much of it there is room for: characters of each text, issues in the table, issues with their evidence. */
export interface Room {
  readonly diff: number
  readonly output: number
  readonly words: number
  readonly rows: number
  readonly evidence: number
}

const FINAL: Readonly<Record<FinalStatus, string>> = {
  running: 'The session is not over: this is what there is so far.',
  passed: 'Everything is fixed, and the verification passed on what is committed.',
  unverified: 'Everything is fixed, but no command of a verification proves it.',
  failed: 'Not everything is fixed.',
  skipped: 'Nothing was fixed, and nothing failed.',
  cancelled: 'The session was cancelled: what had been committed stays.',
}

export const STATES: Readonly<Record<IssueState, string>> = {
  fixed: '✔ fixed',
  failed: '✗ failed',
  skipped: '– skipped',
  settled: '– settled before',
  false_positive: '– false positive',
  open: '… open',
}

const ELSEWHERE = 'the formats html and json have them.'

export function headlineOf({ counts }: Report): string {
  return `${counts.fixed} of ${counts.requested} issue(s) fixed`
}

export function documentOf(report: Report, room: Room): Block[] {
  const shown = report.issues.slice(0, room.rows)
  const told = report.issues.slice(0, room.evidence)
  const left = report.issues.length - told.length
  return [
    { kind: 'heading', level: 1, text: [`Fixwright: ${headlineOf(report)}`] },
    { kind: 'paragraph', text: [{ strong: FINAL[report.final_status] }] },
    { kind: 'list', items: factsOf(report, room) },
    { kind: 'heading', level: 2, text: ['Issues'] },
    {
      kind: 'table',
      head: ['issue', 'result', 'severity', 'title', 'file', 'challenger', 'attempts', 'cost'],
      rows: shown.map((issue) => rowOf(issue)),
    },
    ...only(report.issues.length > shown.length, `and ${report.issues.length - shown.length} more`),
    ...sectionOf(
      'Commits',
      report.commits.slice(0, room.rows).map((commit) => commitLine(commit, report)),
    ),
    ...sectionOf(
      'What people decided',
      report.decisions.slice(0, room.rows).map((each) => decisionLine(each, room)),
    ),
    ...(told.length > 0 ? [{ kind: 'heading', level: 2, text: ['Evidence'] } as const] : []),
    ...told.flatMap((issue) => evidenceOf(issue, report, room)),
    ...only(left > 0, `There is no room for the evidence of ${left} issue(s) here: ${ELSEWHERE}`),
    ...only(
      room.diff === 0 && told.some(({ diff }) => diff !== null),
      `There is no room for diffs and outputs here: ${ELSEWHERE}`,
    ),
    {
      kind: 'paragraph',
      text: ['All prompts, replies and transcripts: ', { code: `fixwright logs ${report.session_id}` }],
    },
  ]
}

function only(holds: boolean, text: string): Block[] {
  return holds ? [{ kind: 'paragraph', text: [text] }] : []
}

function sectionOf(title: string, items: readonly (readonly Inline[])[]): Block[] {
  return items.length === 0
    ? []
    : [
        { kind: 'heading', level: 2, text: [title] },
        { kind: 'list', items },
      ]
}

function factsOf(report: Report, room: Room): Inline[][] {
  const { session_id, status, counts, cost_usd, duration_ms, repository, branch, base, ending: end, waiting } = report
  const { failed, skipped } = counts
  const spent = `${seconds(duration_ms)}, ${dollars(cost_usd)}`
  const from: Inline[] = base === null ? [] : [', from ', { code: base.slice(0, 10) }]
  const facts: Inline[][] = [
    [{ strong: 'session' }, ' ', { code: session_id }, ` ${status}, ${failed} failed, ${skipped} skipped, ${spent}`],
    // The folder's name is enough: where it lies on somebody's machine is nobody else's business.
    [{ strong: 'repository' }, ' ', { code: basename(repository) }],
  ]
  if (branch !== null) facts.push([{ strong: 'branch' }, ' ', { code: branch }, ...from])
  if (waiting) facts.push([{ strong: 'waits for' }, ' ', cut(waiting.reason, room.words)])
  if (end) facts.push([{ strong: 'ended because' }, ' ', cut(end.reason, room.words)])
  return facts
}

function rowOf(issue: IssueReport): Inline[][] {
  const score = scoreOf(issue)
  return [
    [issue.issue_code],
    [STATES[issue.state] + (issue.unproven ? ', unproven' : '')],
    [issue.severity],
    [cut(issue.title, 120)],
    [cut(placeOf(issue), 120)],
    [score === null ? '' : String(score)],
    [String(issue.iterations)],
    [dollars(issue.cost_usd)],
  ]
}

function placeOf({ file, line }: IssueReport): string {
  return line === null ? file : `${file}:${line}`
}

/** Of what is committed, or of the last attempt. */
export function scoreOf({ outcome, challenges }: IssueReport): number | null {
  return outcome?.fix_gemini_score ?? challenges.at(-1)?.score ?? null
}

function commitLine({ sha, message, issue_codes }: Report['commits'][number], report: Report): Inline[] {
  const own = report.issues.filter((issue) => issue_codes.includes(issue.issue_code))
  const verified = own.find(({ verification }) => verification)?.verification
  const proof = own.some(({ unproven }) => unproven)
    ? ' · unproven: neither challenged nor verified'
    : verified
      ? ` · verification ${verified.verdict}`
      : ''
  return [{ code: sha.slice(0, 10) }, ` ${message.split('\n', 1)[0]} · ${issue_codes.join(', ')}${proof}`]
}

function decisionLine({ at, kind, by, from, words, issue_codes }: Decision, room: Room): Inline[] {
  const about = issue_codes.length === 0 ? '' : ` (${issue_codes.join(', ')})`
  return [{ strong: kind }, `${about} by ${by}, from ${from}, ${at}: ${cut(words, room.words)}`]
}

function evidenceOf(issue: IssueReport, report: Report, room: Room): Block[] {
  const items: Inline[][] = [summaryOf(issue)]
  const say = (label: string, words: string): void => {
    if (words.trim() !== '') items.push([{ strong: label }, ' ', cut(words, room.words)])
  }
  if (issue.reason !== null && issue.state !== 'fixed')
    say(issue.state === 'failed' ? 'failed because' : 'because', issue.reason)
  if (issue.unproven) say('unproven', 'neither a challenger nor a command has looked at it')
  if (issue.claim) say(`the fixer says (${claimWords(issue.claim)})`, issue.claim.summary)
  for (const risk of issue.claim?.risks.slice(0, 5) ?? []) say('a risk, says the fixer', risk)
  const judged = challengeShown(issue)
  if (judged) items.push(...challengeLines(judged, room))
  for (const run of issue.verification?.commands ?? []) items.push(runLine(run))
  if (issue.verification) say('verification', issue.verification.verdict)
  if (issue.outside_files.length > 0) {
    say('also changed, though no finding names it', listed(issue.outside_files))
  }
  const shared = issue.diff?.shared_with ?? []
  if (shared.length > 0) say('shares files with', listed(shared))
  items.push([{ strong: 'calls' }, ' ', { code: `fixwright logs ${report.session_id} ${issue.issue_code}` }])
  return [
    { kind: 'heading', level: 3, text: [`${issue.issue_code} ${cut(issue.title, 200)}`] },
    { kind: 'list', items },
    ...outputsOf(issue.verification, room),
    ...diffOf(issue, room),
  ]
}

function summaryOf(issue: IssueReport): Inline[] {
  const { severity, iterations, cost_usd, outcome, state } = issue
  const commit: Inline[] =
    state === 'fixed' && outcome?.commit_sha ? [' in ', { code: outcome.commit_sha.slice(0, 10) }] : []
  return [
    { strong: STATES[state] },
    ...commit,
    ' · ',
    { code: placeOf(issue) },
    ` · ${severity} · ${iterations} attempt(s) · ${dollars(cost_usd)}`,
  ]
}

function claimWords({ status, confidence }: NonNullable<IssueReport['claim']>): string {
  return confidence === null ? status : `${status}, confidence ${confidence}`
}

/** On what was committed, where it was; else the last word. */
function challengeShown({ challenges, verification, outcome }: IssueReport): Challenge | undefined {
  const same = (each: Challenge): boolean => each.tree === verification?.tree
  const scored = (each: Challenge): boolean => each.score === outcome?.fix_gemini_score
  return challenges.findLast((each) => same(each) && scored(each)) ?? challenges.findLast(scored) ?? challenges.at(-1)
}

function challengeLines(
  { score, quality_scores, feedback, improvements_needed, points }: Challenge,
  room: Room,
): Inline[][] {
  const qualities = Object.entries(quality_scores ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.replace('_', ' ')} ${value}`],
  )
  const scores = [score === null ? 'no score' : `score ${score}`, ...qualities].join(', ')
  const line = (label: string, words: string): Inline[] => [{ strong: label }, ' ', cut(words, room.words)]
  return [
    line(`the challenger says (${scores})`, feedback),
    ...improvements_needed.slice(0, 10).map((text) => line('to improve', text)),
    ...points
      .slice(0, 10)
      .map(({ id, text, blocker, settled }) =>
        line(`${settled ? 'settled' : 'open'} ${blocker ? 'blocker' : 'point'}`, `${id}: ${text}`),
      ),
  ]
}

const EFFECTS: Readonly<Record<Effect, string>> = {
  passes: 'passes',
  fixed: 'fixed by us: it failed before',
  broken: 'broken by us: it passed before',
  unproven: 'broken before, and still: it proves nothing',
  fails: 'fails; how it was before is not known',
  not_run: 'not run: another had failed',
}

function runLine({ command, before, after, effect }: Comparison): Inline[] {
  const runs = `before: ${before ?? 'not run'}, after: ${after ?? 'not run'}`
  return [{ strong: 'check' }, ' ', { code: command }, ` ${EFFECTS[effect]} (${runs})`]
}

function outputsOf(verification: IssueVerification | null, room: Room): Block[] {
  if (room.output === 0) return []
  return (verification?.commands ?? []).flatMap(({ command, after, effect, output }): Block[] => {
    if (after === null || after === 'passed' || output.trim() === '') return []
    const { text, isCut } = ending(output, room.output)
    const title = [`${isCut ? 'the end of what' : 'what'} `, { code: command }, ` printed (${EFFECTS[effect]})`]
    return [{ kind: 'fold', title, language: 'text', text }]
  })
}

const SOURCES = {
  commit: 'the diff',
  attempt: 'what the last attempt changed: it is not committed',
  glimpse: 'the beginning of the diff: the commit is gone',
} as const

function diffOf({ diff }: IssueReport, room: Room): Block[] {
  if (!diff || diff.text === '' || room.diff === 0) return []
  const { text, isCut } = beginning(diff.text, room.diff)
  const more = isCut || diff.is_cut ? ', cut' : ''
  return [{ kind: 'fold', title: [`${SOURCES[diff.source]}${more}`], language: 'diff', text }]
}

function listed(all: readonly string[]): string {
  const shown = all.slice(0, 10).join(', ')
  return all.length > 10 ? `${shown} and ${all.length - 10} more` : shown
}
