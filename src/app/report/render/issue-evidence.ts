// Builds the evidence for one issue: the agents' words, the commands' results, the changes.

import { formatDollars } from '../../../domain/budget/spending.ts'
import { describeTampering } from '../../../domain/tampering/tampering-flag.ts'
import { joinList } from '../../../domain/text/join-list.ts'
import { truncateText } from '../../../domain/text/truncate.ts'
import type { RegressionProof } from '../../../domain/verification/gate-record.ts'
import { listOwnChecks } from '../own-checks.ts'
import type { IssueReport, Report, ReportedChallenge, ReportedState } from '../report-model.ts'
import type { Block, InlineLine, RenderLimits } from './blocks.ts'
import { buildTestLists, formatRunLine } from './check-section.ts'
import { buildDiffBlocks, type ShownTexts } from './collapsible.ts'

export const STATE_LABELS: Readonly<Record<ReportedState, string>> = {
  fixed: '✔ fixed',
  failed: '✗ failed',
  skipped: '– skipped',
  settled: '– settled before',
  false_positive: '– false positive',
  open: '… open',
}

/** Empty if there is no text. */
export function toLabelledLine({ words }: RenderLimits, label: string, text: string | null | undefined): InlineLine[] {
  return text?.trim() ? [[{ strong: label }, ' ', truncateText(text, words)]] : []
}

export function formatLocation({ file, line }: Pick<IssueReport, 'file' | 'line'>): string {
  return line === undefined ? file : `${file}:${line}`
}

export function buildIssueEvidence(issue: IssueReport, report: Report, room: RenderLimits, shown: ShownTexts): Block[] {
  return [
    { kind: 'heading', level: 3, text: [`${issue.issue_code} ${truncateText(issue.title, 200)}`] },
    { kind: 'list', items: [buildSummaryLine(issue), ...buildEvidenceLines(issue, report, room)] },
    ...buildDiffBlocks(issue, room, shown),
  ]
}

export function buildEvidenceLines(issue: IssueReport, report: Report, room: RenderLimits): InlineLine[] {
  const { issue_code, state, reason, claim, outside_files, silenced, diff, proof } = issue
  const label = (label: string, text: string | null | undefined) => toLabelledLine(room, label, text)
  const { confidence, risks = [] } = claim?.self_evaluation ?? {}
  const sure = confidence === undefined ? '' : `, confidence ${confidence}`
  return [
    ...label(state === 'failed' ? 'failed because' : 'because', state === 'fixed' ? null : reason),
    ...label('unproven', issue.unproven),
    ...label(`the fixer says (${claim?.status}${sure})`, claim?.changes_summary),
    ...label(
      'no changes applied',
      issue.no_changes_applied ? 'the fixer calls it fixed, and changed nothing for it' : null,
    ),
    ...risks.slice(0, 5).flatMap((risk) => label('a risk, says the fixer', risk)),
    ...buildChallengeLines(issue, room),
    ...buildOwnCheckLines(issue, report),
    ...label(`regression test (${proof?.verdict.replace('_', ' ')})`, proof && describeProof(proof, issue_code)),
    ...silenced.slice(0, 10).map((flag): InlineLine => {
      return [{ strong: 'may silence a check' }, ` ${describeTampering(flag)}: `, { code: flag.text }]
    }),
    ...label('and more that may', silenced.length > 10 ? `${silenced.length - 10} place(s)` : null),
    ...label('also changed, though no finding names it', joinList(outside_files)),
    ...label('shares files with', joinList(diff?.shared_with ?? [])),
    [{ strong: 'calls' }, ' ', { code: `fixwright logs ${report.session_id} ${issue_code}` }],
  ]
}

function buildSummaryLine(issue: IssueReport): InlineLine {
  const { severity, iterations, outcome, state } = issue
  const sha = state === 'fixed' ? outcome?.commit_sha : undefined
  return [
    { strong: STATE_LABELS[state] },
    ...(sha ? [' in ', { code: sha.slice(0, 10) }] : []),
    ' · ',
    { code: formatLocation(issue) },
    ` · ${severity} · ${iterations} attempt(s) · ${formatDollars(issue)}`,
  ]
}

/** The facts of a finding's summary line. */
export function formatFindingFacts(issue: IssueReport, { budgets }: Report): string {
  const { severity, outcome, challenges, iterations } = issue
  // The score of the committed change, else of the last attempt.
  const score = outcome?.fix_gemini_score ?? challenges.at(-1)?.score
  const commit = issue.state === 'fixed' ? outcome?.commit_sha?.slice(0, 10) : undefined
  const facts = [
    commit,
    formatLocation(issue),
    severity,
    score !== undefined && `challenger ${score}`,
    `${iterations} attempt(s)`,
    formatDollars(issue, budgets?.issue_usd),
  ]
  return facts.filter(Boolean).join(' · ')
}

/** Issues that share files are proven, or not, as one. */
function describeProof({ codes, why }: RegressionProof, code: string): string {
  const others = codes.filter((each) => each !== code)
  return others.length > 0 ? `together with ${joinList(others)}: ${why}` : why
}

/** Shows the verdict on the committed tree if there is one, else the last verdict. */
function buildChallengeLines({ challenges, verification, outcome }: IssueReport, room: RenderLimits): InlineLine[] {
  const scored = challenges.filter(({ score }) => score === outcome?.fix_gemini_score)
  const shown: ReportedChallenge | undefined =
    scored.findLast(({ tree }) => tree === verification?.tree) ?? scored.at(-1) ?? challenges.at(-1)
  if (!shown) return []
  const { score, quality_scores, feedback, improvements_needed, points } = shown
  const qualities = Object.entries(quality_scores ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : `${name.replace('_', ' ')} ${value}`,
  )
  const scores = [score === undefined ? 'no score' : `score ${score}`, ...qualities].join(', ')
  return [
    [{ strong: `the challenger says (${scores})` }, ' ', truncateText(feedback, room.words)],
    ...improvements_needed.slice(0, 10).flatMap((text) => toLabelledLine(room, 'to improve', text)),
    ...points.slice(0, 10).flatMap(({ id, text, blocker, settled }) => {
      const label = `${settled ? 'settled' : 'open'} ${blocker ? 'blocker' : 'point'}`
      return toLabelledLine(room, label, `${id}: ${text}`)
    }),
  ]
}

/** The session's own section has the checks in full; an issue has what they say about it. */
function buildOwnCheckLines(issue: IssueReport, report: Report): InlineLine[] {
  const { verification, state } = issue
  if (verification === null) return []
  const own = listOwnChecks(issue, report)
  const lines = own.flatMap(({ command, isNamed, tests }) => {
    const run = verification.commands.find((each) => each.command === command)
    return [...(isNamed && run ? [formatRunLine(run)] : []), ...buildTestLists(tests)]
  })
  const what = state === 'fixed' ? 'with this commit' : 'with its last attempt'
  const whole = `${verification.verdict} ${what}, on the tree ${verification.tree.slice(0, 10)}`
  return [...lines, [{ strong: 'checks' }, ` ${whole}${own.length > 0 ? '' : '; none of them names it'}`]]
}
