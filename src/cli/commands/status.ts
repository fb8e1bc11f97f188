// `fixwright status SESSION`: the state of one session, from the store. Temporal is asked only if an instance runs.

import { describeSandbox, formatCost, formatTimeSpent } from '../../app/format-values.ts'
import { loadSessionStatus, type SessionStatus } from '../../app/session/session-health.ts'
import type { IssueState, SessionState } from '../../domain/session/session-state.ts'
import { resolveSession } from '../session/resolve-session.ts'
import { withApp } from '../session/with-app.ts'
import { formatDateTime, paint, print, printJson } from '../terminal/console.ts'
import { describeQuestion, describeScope } from '../terminal/describe-decision.ts'
import { describeIssueCounts, describeLanding, describeLanes, describeProgress } from '../terminal/describe-progress.ts'
import { sanitizeLine } from '../terminal/sanitize.ts'
import { formatStatus } from '../terminal/status-words.ts'
import { formatAge, formatTable } from '../terminal/table.ts'

export async function runStatusCommand(
  typed: string | undefined,
  { json }: { readonly json: boolean },
): Promise<number> {
  return withApp(async (app) => {
    const { state, progress, health, note } = await loadSessionStatus(app, await resolveSession(app, typed))
    if (json) {
      const shown = { ...health, ...(note === undefined ? {} : { note }) }
      printJson({ ...state, progress, health: shown })
    } else print(describeSession({ state, progress, health, note }))
    return 0
  })
}

function describeSession({ state, progress, health, note }: SessionStatus): string {
  const { counts, waiting } = state
  const ended = state.ended_at === null ? '' : `, ended ${formatAge(state.ended_at)}`
  const facts: [string, string | null | undefined][] = [
    ['session', state.session_id],
    ['kind', state.kind === 'fix' ? undefined : state.kind],
    ['status', formatStatus(state)],
    ['now', progress && describeProgress(progress)],
    ...(progress ? describeLanes(progress).map((line): [string, string] => ['', line]) : []),
    ['to land', progress && describeLanding(progress)],
    [
      'waiting',
      waiting && sanitizeLine(waiting.reason) + (waiting.until ? ` until ${formatDateTime(waiting.until)}` : ''),
    ],
    ['since', waiting && formatDateTime(waiting.since)],
    ['to answer', waiting?.answer],
    ['ended because', state.ending && sanitizeLine(state.ending.reason)],
    ['repository', state.repository],
    ['its settings', state.repository_file && describeSettingsFile(state.repository_file)],
    ['branch', state.branch],
    ['base', state.base],
    ['issues', `${counts.fixed} of ${counts.requested} fixed, ${counts.failed} failed, ${counts.skipped} skipped`],
    ['under way', progress && describeIssueCounts(progress.issues)],
    ['cost', formatCost(state, state.budgets)],
    ['time', state.budgets?.session_seconds ? formatTimeUsed(state) : undefined],
    ['agents in', state.sandbox && describeSandbox(state.sandbox)],
    ['started', `${formatAge(state.started_at)}${ended}`],
    ['workflow', state.workflow_id],
    ['Temporal UI', state.temporal_url],
    ['worker', state.ended_at === null ? health.worker : undefined],
    ['trouble', state.ended_at === null && health.problem ? sanitizeLine(health.problem) : undefined],
    ['note', note],
  ]
  const rows = facts.flatMap(([name, value]) => (value ? [[paint('dim', name, process.stdout), value]] : []))
  return [formatTable(rows), '', formatTable(state.issues.map(toIssueRow), '  '), ...describeOpenQuestions(state)].join(
    '\n',
  )
}

/** Shows the time used beside its limit. */
function formatTimeUsed({ started_at, ended_at, budgets }: SessionState): string {
  return formatTimeSpent((ended_at === null ? Date.now() : Date.parse(ended_at)) - Date.parse(started_at), budgets)
}

function describeSettingsFile({ label, trusted, ignored }: NonNullable<SessionState['repository_file']>): string {
  const left = ignored.length === 0 ? '' : `; without ${sanitizeLine(ignored.join(', '))}`
  return `${label}, ${trusted ? 'trusted' : 'not trusted'}${left}`
}

/** Shows the open questions and the scope in full; the plan is long and has its own command. */
function describeOpenQuestions({ questions, scope }: SessionState): string[] {
  const out = process.stdout
  const shown = [...questions.map((question) => describeQuestion(question, out))]
  if (scope) shown.push(describeScope({ ...scope, diff: '' }, out, true))
  return shown.length === 0 ? [] : ['', ...shown]
}

function toIssueRow(issue: IssueState): string[] {
  return [
    issue.issue_code,
    issue.status === 'merged' ? issue.status : (issue.outcome ?? issue.status),
    issue.commit_sha?.slice(0, 10) ?? '',
    issue.score === null ? '' : `score ${issue.score}`,
    sanitizeLine(issue.error ?? issue.title),
  ]
}
