// The result of a session: as JSON on standard output for programs, as a short table for people.

import { costInWords } from '../../domain/budget/spending.ts'
import type { FixSessionResult, IssueFixResult } from '../../domain/session/session.ts'
import { trailerIn } from '../../domain/text/branch-and-commit-names.ts'
import { listed } from '../../domain/text/join-list.ts'
import type { Store } from '../../store/store.ts'
import { CANNOT_GO_ON, Exit } from '../exit-codes.ts'
import { paint as painted, print } from './console.ts'
import { harmless } from './sanitize.ts'

/** What an ended session left. */
export async function resultOf(store: Store, sessionId: string): Promise<FixSessionResult> {
  const ended = await store.sessions.get(sessionId)
  if (ended?.result) return ended.result
  const reason = ended?.ending?.reason ?? `see "fixwright logs ${sessionId}"`
  throw new Exit(CANNOT_GO_ON, `session ${sessionId} ended without a result: ${reason}`)
}

export function printResult(result: FixSessionResult, json: boolean): void {
  print(json ? JSON.stringify(result, null, 2) : describeResult(result))
}

function paint(style: Parameters<typeof painted>[0], text: string): string {
  return painted(style, text, process.stdout)
}

function describeResult(result: FixSessionResult): string {
  const { issues_fixed, issues_failed, issues_skipped, issues_requested, branch_name, duration_ms } = result
  const counts = `${issues_fixed} of ${issues_requested} fixed, ${issues_failed} failed, ${issues_skipped} skipped`
  const spent = `${(duration_ms / 1000).toFixed(1)} s, ${costInWords(result)}`
  // An id that no command would find is of no use.
  const what = result.skipped ? 'no session was begun' : `session ${result.session_id} ${result.status}`
  const lines = ['', paint('bold', `${what}: ${counts} (${spent})`), ...result.results.map(describeIssue)]
  if (result.ending) lines.push(`ended because: ${harmless(result.ending.reason)}`)
  if (branch_name && result.commits.length > 0) {
    lines.push(`branch ${branch_name}, ${result.commits.length} commit(s): git log ${branch_name}`)
  }
  const unverified = result.results.filter((issue) => issue.status === 'completed' && proofOf(issue) !== '')
  if (unverified.length > 0) {
    lines.push(
      `no check of yours proves ${listed(unverified.map(({ issue_code }) => issue_code))}: fixwright report ${result.session_id}`,
    )
  }
  return lines.join('\n')
}

/** Nothing where a command of the operator's has proven it. */
function proofOf({ commit_message = '' }: IssueFixResult): string {
  if (trailerIn(commit_message, 'Unproven') !== undefined) return ' · unproven'
  return trailerIn(commit_message, 'Verified') === undefined ? ' · unverified' : ''
}

function describeIssue(issue: IssueFixResult): string {
  const score = issue.fix_gemini_score === undefined ? '' : ` · challenger ${issue.fix_gemini_score}`
  const tries = issue.iterations > 0 ? ` · ${issue.iterations} attempt(s)` : ''
  if (issue.status === 'completed') {
    return `  ${paint('green', '✔')} ${issue.issue_code} ${issue.commit_sha?.slice(0, 10)}${score}${tries}${proofOf(issue)} · ${issue.fix_files_modified.map(harmless).join(', ')}`
  }
  const mark = issue.status === 'failed' ? paint('red', '✗') : paint('dim', '–')
  return `  ${mark} ${issue.issue_code}${score}${tries} · ${harmless(issue.error ?? issue.status)}`
}
