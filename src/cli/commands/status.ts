// `fixwright status SESSION`: one session as it stands. Reads the store; Temporal is asked only where an instance runs already.

import { timeInWords } from '../../app/report/render/text.ts'
import { type Health, healthOf } from '../../app/session-health.ts'
import { type IssueState, type SessionState, stateOf } from '../../app/session-state.ts'
import { costInWords } from '../../domain/budget/spending.ts'
import { type SessionRecord, waitsForPerson } from '../../domain/session/session.ts'
import { sandboxInWords } from '../../domain/settings/sandbox-level.ts'
import { withStore } from '../session/connect.ts'
import { sessionFor } from '../session/find-session.ts'
import { moment, paint, print } from '../terminal/console.ts'
import { describeQuestion, describeScope } from '../terminal/describe-decision.ts'
import { harmless } from '../terminal/sanitize.ts'
import { statusWords } from '../terminal/status-words.ts'
import { ago, table } from '../terminal/table.ts'

export async function status(typed: string, { json }: { readonly json: boolean }): Promise<number> {
  return withStore(async (store, home) => {
    const session = await sessionFor(store, typed)
    const health = await healthOf(session, home, process.env)
    // Read after Temporal was asked: what it calls ended is then in the store, unless it was ended from outside.
    const current = (await store.sessions.get(session.session_id)) ?? session
    const state = await stateOf(store, home, current)
    const note = noteOn(current, health)
    if (json) {
      const told = { ...health, ...(note === undefined ? {} : { note }) }
      print(JSON.stringify({ ...state, health: told }, null, 2))
    } else print(describe(state, health, note))
    return 0
  })
}

function describe(state: SessionState, health: Health, note: string | undefined): string {
  const { counts, waiting } = state
  const ended = state.ended_at === null ? '' : `, ended ${ago(state.ended_at)}`
  const facts: [string, string | null | undefined][] = [
    ['session', state.session_id],
    ['status', statusWords(state)],
    ['waiting', waiting && harmless(waiting.reason) + (waiting.until ? ` until ${moment(waiting.until)}` : '')],
    ['since', waiting && moment(waiting.since)],
    ['to answer', waiting?.answer],
    ['ended because', state.ending && harmless(state.ending.reason)],
    ['repository', state.repository],
    ['its settings', state.repository_file && fileWords(state.repository_file)],
    ['branch', state.branch],
    ['base', state.base],
    ['issues', `${counts.fixed} of ${counts.requested} fixed, ${counts.failed} failed, ${counts.skipped} skipped`],
    ['cost', costInWords(state, state.budgets)],
    ['time', state.budgets?.session_seconds ? timeOf(state) : undefined],
    ['agents in', state.sandbox && sandboxInWords(state.sandbox)],
    ['started', `${ago(state.started_at)}${ended}`],
    ['worker', state.ended_at === null ? health.worker : undefined],
    ['trouble', state.ended_at === null && health.trouble ? harmless(health.trouble) : undefined],
    ['note', note],
  ]
  const rows = facts.flatMap(([name, value]) => (value ? [[paint('dim', name, process.stdout), value]] : []))
  return [table(rows), '', table(state.issues.map(issueRow), '  '), ...asked(state)].join('\n')
}

/** Where a limit is to be seen beside it. */
function timeOf({ started_at, ended_at, budgets }: SessionState): string {
  return timeInWords((ended_at === null ? Date.now() : Date.parse(ended_at)) - Date.parse(started_at), budgets)
}

function fileWords({ where, trusted, unheard }: NonNullable<SessionState['repository_file']>): string {
  const left = unheard.length === 0 ? '' : `; without ${harmless(unheard.join(', '))}`
  return `${where}, ${trusted ? 'trusted' : 'not trusted'}${left}`
}

/** What people are asked, in full; a plan is long, and has its own command. */
function asked({ questions, scope }: SessionState): string[] {
  const out = process.stdout
  const shown = [...questions.map((question) => describeQuestion(question, out))]
  if (scope) shown.push(describeScope({ ...scope, diff: '' }, out, true))
  return shown.length === 0 ? [] : ['', ...shown]
}

function issueRow(issue: IssueState): string[] {
  return [
    issue.issue_code,
    issue.outcome ?? issue.status,
    issue.commit_sha?.slice(0, 10) ?? '',
    issue.score === null ? '' : `score ${issue.score}`,
    harmless(issue.error ?? issue.title),
  ]
}

/** What a person should know about a session that has not ended, besides its status. */
export function noteOn(session: SessionRecord, { worker, workflow }: Health): string | undefined {
  if (session.ended_at !== undefined) return undefined
  // It needs nobody until somebody answers, and the answer brings an instance along.
  if (worker === 'none' && waitsForPerson(session)) return undefined
  if (worker === 'none') return howToGoOn(session.session_id)
  if (workflow !== 'ended') return undefined
  return session.run_id === undefined
    ? 'its workflow has not started yet'
    : 'its workflow was ended from outside: the next "fixwright fix", "up" or "cancel" closes it'
}

function howToGoOn(sessionId: string): string {
  return `no instance of Fixwright runs: the session goes on from where it was with the next "fixwright up", or the same "fix" again ("fixwright cancel ${sessionId}" ends it)`
}
