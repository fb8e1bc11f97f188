// Prints a session's result: JSON for programs; for people a short table, why issues failed, and what to do next.

import type { AppContext } from '../../app/context.ts'
import { formatCost } from '../../app/format-values.ts'
import type { FailedIssue, SessionEnd } from '../../app/report/describe-end.ts'
import { describeUnproven, explainUnproven, toExitCode } from '../../app/session/session-result.ts'
import type { FixSessionResult, IssueFixResult } from '../../domain/session/session.ts'
import { fitPath, paint as painted, print, printFolded, printJson } from './console.ts'
import { sanitizeLine } from './sanitize.ts'

export interface PrintOptions {
  readonly json: boolean
  /** The command that tries again what is open, if it is known. */
  readonly again?: string | undefined
}

export async function printResult(
  app: AppContext,
  result: FixSessionResult,
  { json, again }: PrintOptions,
): Promise<void> {
  if (json) return printJson(result)
  if (result.kind === 'review' || result.kind === 'review-fix') await printReview(app, result)
  if (result.kind === 'review') return
  if (result.kind === 'review-fix' && result.results.length === 0) return await printLeftovers(app, result)
  printFolded(describeResult(result))
  if (result.skipped) return
  const { describeEnd } = await import('../../app/report/describe-end.ts')
  for (const line of describeNextSteps(result, await describeEnd(app, result), again)) print(line)
  await printLeftovers(app, result)
}

async function printLeftovers(app: AppContext, { session_id, findings }: FixSessionResult): Promise<void> {
  const [{ listLeftovers }, { formatLeftovers }, { findSession }] = await Promise.all([
    import('../../app/list-leftovers.ts'),
    import('./format-leftovers.ts'),
    import('../../app/session/find-sessions.ts'),
  ])
  if (!findings?.leftovers.length) return
  for (const line of formatLeftovers(listLeftovers(await findSession(app, session_id)))) print(sanitizeLine(line))
}

async function printReview(app: AppContext, result: FixSessionResult): Promise<void> {
  const [{ buildReviewReport, listFindings }, { describePlace, formatReviewHeadline }, { findSession }] =
    await Promise.all([
      import('../../app/report/review/build-review-report.ts'),
      import('../../app/report/review/review-document.ts'),
      import('../../app/session/find-sessions.ts'),
    ])
  const report = await buildReviewReport(app, await findSession(app, result.session_id))
  const spent = `${(result.duration_ms / 1000).toFixed(1)} s, ${formatCost(result)}`
  const lines = [
    '',
    result.kind === 'review'
      ? paintStdout('bold', `session ${result.session_id} ${result.status}: ${formatReviewHeadline(report)} (${spent})`)
      : formatReviewHeadline(report),
  ]
  for (const state of ['confirmed', 'unverified'] as const) {
    for (const finding of listFindings(report.record, state)) {
      const mark = paintStdout(state === 'confirmed' ? 'red' : 'yellow', state === 'confirmed' ? '✗' : '?')
      const { id, severity, title } = finding
      lines.push(`  ${mark} ${id} ${severity} ${sanitizeLine(describePlace(finding))} · ${sanitizeLine(title)}`)
    }
  }
  const { review } = report
  if (review) lines.push(`reviewed ${review.files_reviewed} of ${review.files_changed} changed file(s)`)
  for (const { path, why } of review?.not_reviewed ?? [])
    lines.push(`not reviewed: ${sanitizeLine(`${path} (${why})`)}`)
  if (review?.imported) {
    const { task_id, issues } = review.imported
    if (result.kind === 'review') lines.push(`${issues} issue(s) in the task ${task_id}: fixwright issues`)
  }
  const isAll = result.kind === 'review' || result.results.length === 0
  if (isAll && result.ending) lines.push(`ended because: ${sanitizeLine(result.ending.reason)}`)
  if (isAll) lines.push(`${paintStdout('dim', 'report ')}  fixwright report ${result.session_id}`)
  printFolded(lines.join('\n'))
}

function describeNextSteps(result: FixSessionResult, end: SessionEnd, again: string | undefined): string[] {
  const { log_command, failed, report_command, push_command } = end
  const retry = toExitCode(result) === 0 ? undefined : (again ?? `the same "fixwright ${result.kind ?? 'fix'}" again`)
  const steps = [
    ['commits', log_command],
    ['report', report_command],
    ['go on', push_command ?? retry],
  ] as const
  return [
    ...failed.flatMap(describeFailure),
    ...steps.flatMap(([what, command]) =>
      command ? [`${paintStdout('dim', what.padEnd(7))}  ${sanitizeLine(command)}`] : [],
    ),
  ]
}

function describeFailure({ issue_code, words, diff_command }: FailedIssue): string[] {
  if (words.length === 0 && diff_command === undefined) return []
  return [
    `why ${paintStdout('bold', issue_code)} failed`,
    ...words.map((line) => `  ${sanitizeLine(line)}`),
    ...(diff_command ? [`  ${paintStdout('dim', 'its diff:')} ${sanitizeLine(diff_command)}`] : []),
  ]
}

function paintStdout(style: Parameters<typeof painted>[0], text: string): string {
  return painted(style, text, process.stdout)
}

function describeResult(result: FixSessionResult): string {
  const { issues_fixed, issues_failed, issues_skipped, issues_requested, branch_name, duration_ms } = result
  const counts = `${issues_fixed} of ${issues_requested} fixed, ${issues_failed} failed, ${issues_skipped} skipped`
  const spent = `${(duration_ms / 1000).toFixed(1)} s, ${formatCost(result)}`
  // The id of a session that was never begun is useless: no command would find it.
  const what = result.skipped ? 'no session was begun' : `session ${result.session_id} ${result.status}`
  const lines = ['', paintStdout('bold', `${what}: ${counts} (${spent})`), ...result.results.map(describeIssue)]
  if (result.ending) lines.push(`ended because: ${sanitizeLine(result.ending.reason)}`)
  if (branch_name && result.commits.length > 0) lines.push(`branch ${branch_name}, ${result.commits.length} commit(s)`)
  const unproven = describeUnproven(result)
  if (unproven !== undefined) lines.push(sanitizeLine(unproven))
  return lines.join('\n')
}

function describeIssue(issue: IssueFixResult): string {
  const score = issue.fix_gemini_score === undefined ? '' : ` · challenger ${issue.fix_gemini_score}`
  const tries = issue.iterations > 0 ? ` · ${issue.iterations} attempt(s)` : ''
  if (issue.status === 'completed') {
    const unproven = explainUnproven(issue) === undefined ? '' : ' · unproven'
    return `  ${paintStdout('green', '✔')} ${issue.issue_code} ${issue.commit_sha?.slice(0, 10)}${score}${tries}${unproven} · ${issue.fix_files_modified.map(fitPath).join(', ')}`
  }
  const mark = issue.status === 'failed' ? paintStdout('red', '✗') : paintStdout('dim', '–')
  return `  ${mark} ${issue.issue_code}${score}${tries} · ${sanitizeLine(issue.error ?? issue.status)}`
}
