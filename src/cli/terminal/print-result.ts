// Prints a session's result: JSON for programs, a short table for people.

import { formatCost } from '../../app/format.ts'
import { describeUnproven, explainUnproven } from '../../app/session/session-result.ts'
import type { FixSessionResult, IssueFixResult } from '../../domain/session/session.ts'
import { paint as painted, print } from './console.ts'
import { sanitizeLine } from './sanitize.ts'

export function printResult(result: FixSessionResult, json: boolean): void {
  print(json ? JSON.stringify(result, null, 2) : describeResult(result))
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
  if (branch_name && result.commits.length > 0) {
    lines.push(`branch ${branch_name}, ${result.commits.length} commit(s): git log ${branch_name}`)
  }
  const unproven = describeUnproven(result)
  if (unproven !== undefined) lines.push(sanitizeLine(unproven))
  return lines.join('\n')
}

function describeIssue(issue: IssueFixResult): string {
  const score = issue.fix_gemini_score === undefined ? '' : ` · challenger ${issue.fix_gemini_score}`
  const tries = issue.iterations > 0 ? ` · ${issue.iterations} attempt(s)` : ''
  if (issue.status === 'completed') {
    const unproven = explainUnproven(issue) === undefined ? '' : ' · unproven'
    return `  ${paintStdout('green', '✔')} ${issue.issue_code} ${issue.commit_sha?.slice(0, 10)}${score}${tries}${unproven} · ${issue.fix_files_modified.map(sanitizeLine).join(', ')}`
  }
  const mark = issue.status === 'failed' ? paintStdout('red', '✗') : paintStdout('dim', '–')
  return `  ${mark} ${issue.issue_code}${score}${tries} · ${sanitizeLine(issue.error ?? issue.status)}`
}
