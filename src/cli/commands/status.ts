// `fixwright status SESSION`: one session as it stands. Reads the store; Temporal is asked only where an instance runs already.

import { formatTimeSpent } from '../../app/report/render/text.ts'
import { checkSessionHealth, type SessionHealthReport } from '../../app/session/session-health.ts'
import { type IssueState, loadSessionState, type SessionState } from '../../app/session/session-state.ts'
import { formatCost } from '../../domain/budget/spending.ts'
import { isWaitingForPerson, type SessionRecord } from '../../domain/session/session.ts'
import { describeSandbox } from '../../domain/settings/sandbox-level.ts'
import { withStore } from '../session/connect.ts'
import { resolveSession } from '../session/find-session.ts'
import { formatDateTime, paint, print } from '../terminal/console.ts'
import { describeQuestion, describeScope } from '../terminal/describe-decision.ts'
import { sanitizeLine } from '../terminal/sanitize.ts'
import { formatStatus } from '../terminal/status-words.ts'
import { formatAge, formatTable } from '../terminal/table.ts'

export async function runStatusCommand(typed: string, { json }: { readonly json: boolean }): Promise<number> {
  return withStore(async (store, home) => {
    const session = await resolveSession(store, typed)
    const health = await checkSessionHealth(session, home, process.env)
    // Read after Temporal was asked: what it calls ended is then in the store, unless it was ended from outside.
    const current = (await store.sessions.get(session.session_id)) ?? session
    const state = await loadSessionState(store, home, current)
    const note = describeHealthNote(current, health)
    if (json) {
      const shown = { ...health, ...(note === undefined ? {} : { note }) }
      print(JSON.stringify({ ...state, health: shown }, null, 2))
    } else print(describeSession(state, health, note))
    return 0
  })
}

function describeSession(state: SessionState, health: SessionHealthReport, note: string | undefined): string {
  const { counts, waiting } = state
  const ended = state.ended_at === null ? '' : `, ended ${formatAge(state.ended_at)}`
  const facts: [string, string | null | undefined][] = [
    ['session', state.session_id],
    ['status', formatStatus(state)],
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
    ['cost', formatCost(state, state.budgets)],
    ['time', state.budgets?.session_seconds ? formatTimeUsed(state) : undefined],
    ['agents in', state.sandbox && describeSandbox(state.sandbox)],
    ['started', `${formatAge(state.started_at)}${ended}`],
    ['worker', state.ended_at === null ? health.worker : undefined],
    ['trouble', state.ended_at === null && health.problem ? sanitizeLine(health.problem) : undefined],
    ['note', note],
  ]
  const rows = facts.flatMap(([name, value]) => (value ? [[paint('dim', name, process.stdout), value]] : []))
  return [formatTable(rows), '', formatTable(state.issues.map(toIssueRow), '  '), ...describeOpenQuestions(state)].join(
    '\n',
  )
}

/** Where a limit is to be seen beside it. */
function formatTimeUsed({ started_at, ended_at, budgets }: SessionState): string {
  return formatTimeSpent((ended_at === null ? Date.now() : Date.parse(ended_at)) - Date.parse(started_at), budgets)
}

function describeSettingsFile({ label, trusted, ignored }: NonNullable<SessionState['repository_file']>): string {
  const left = ignored.length === 0 ? '' : `; without ${sanitizeLine(ignored.join(', '))}`
  return `${label}, ${trusted ? 'trusted' : 'not trusted'}${left}`
}

/** What people are asked, in full; a plan is long, and has its own command. */
function describeOpenQuestions({ questions, scope }: SessionState): string[] {
  const out = process.stdout
  const shown = [...questions.map((question) => describeQuestion(question, out))]
  if (scope) shown.push(describeScope({ ...scope, diff: '' }, out, true))
  return shown.length === 0 ? [] : ['', ...shown]
}

function toIssueRow(issue: IssueState): string[] {
  return [
    issue.issue_code,
    issue.outcome ?? issue.status,
    issue.commit_sha?.slice(0, 10) ?? '',
    issue.score === null ? '' : `score ${issue.score}`,
    sanitizeLine(issue.error ?? issue.title),
  ]
}

/** What a person should know about a session that has not ended, besides its status. */
export function describeHealthNote(
  session: SessionRecord,
  { worker, workflow }: SessionHealthReport,
): string | undefined {
  if (session.ended_at !== undefined) return undefined
  // It needs nobody until somebody answers, and the answer brings an instance along.
  if (worker === 'none' && isWaitingForPerson(session)) return undefined
  if (worker === 'none') return howToResume(session.session_id)
  if (workflow !== 'ended') return undefined
  return session.run_id === undefined
    ? 'its workflow has not started yet'
    : 'its workflow was ended from outside: the next "fixwright fix", "up" or "cancel" closes it'
}

function howToResume(sessionId: string): string {
  return `no instance of Fixwright runs: the session goes on from where it was with the next "fixwright up", or the same "fix" again ("fixwright cancel ${sessionId}" ends it)`
}
