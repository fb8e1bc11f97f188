// `fixwright status SESSION`: one session as it stands. Reads the store; Temporal is asked only where an instance runs already.
import type { SessionRecord } from '../domain/session.ts'
import { type Health, healthOf } from '../runtime/session-health.ts'
import type { SessionIssue } from '../store/sessions.ts'
import { harmless, paint, print } from './console.ts'
import { withStore } from './instance.ts'
import { sessionFor } from './lookup.ts'
import { type Overview, overviewOf, statusWords } from './overview.ts'
import { ago, dollars, table } from './table.ts'

export async function status(typed: string, { json }: { readonly json: boolean }): Promise<number> {
  return withStore(async (store, home) => {
    const session = await sessionFor(store, typed)
    const health = await healthOf(session, home, process.env)
    // Read after Temporal was asked: what it calls ended is then in the store, unless it was ended from outside.
    const current = (await store.sessions.get(session.session_id)) ?? session
    const issues = await store.sessions.issuesOf(session.session_id)
    const overview = await overviewOf(store, current, issues)
    const note = noteOn(current, health)
    if (json) {
      const told = { ...health, ...(note === undefined ? {} : { note }) }
      print(JSON.stringify({ ...overview, issues: issues.map(issueView), health: told }, null, 2))
    } else print(describe(overview, issues, health, note))
    return 0
  })
}

function issueView({ issue, outcome }: SessionIssue) {
  return {
    issue_code: issue.issue_code,
    issue_id: issue.issue_id,
    title: issue.title,
    file: issue.file,
    /** The issue's own life, and what this session made of it. */
    status: issue.status,
    outcome: outcome?.status ?? null,
    score: outcome?.fix_gemini_score ?? null,
    iterations: outcome?.iterations ?? null,
    commit_sha: outcome?.commit_sha ?? null,
    error: outcome?.error ?? null,
  }
}

function describe(
  overview: Overview,
  issues: readonly SessionIssue[],
  health: Health,
  note: string | undefined,
): string {
  const { counts, waiting } = overview
  const until = waiting?.until === undefined ? '' : ` until ${new Date(waiting.until).toLocaleString('en-GB')}`
  const ended = overview.ended_at === null ? '' : `, ended ${ago(overview.ended_at)}`
  const facts: [string, string | null | undefined][] = [
    ['session', overview.session_id],
    ['status', statusWords(overview)],
    ['waiting', waiting && `${waiting.reason}${until}`],
    ['ended because', overview.ending?.reason],
    ['repository', overview.repository],
    ['branch', overview.branch],
    ['base', overview.base],
    ['issues', `${counts.fixed} of ${counts.requested} fixed, ${counts.failed} failed, ${counts.skipped} skipped`],
    ['cost', dollars(overview.cost_usd)],
    ['started', `${ago(overview.started_at)}${ended}`],
    ['worker', overview.ended_at === null ? health.worker : undefined],
    ['trouble', overview.ended_at === null ? health.trouble : undefined],
    ['note', note],
  ]
  const rows = facts.flatMap(([name, value]) => (value ? [[paint('dim', name, process.stdout), value]] : []))
  return [table(rows), '', table(issues.map(issueRow), '  ')].join('\n')
}

function issueRow({ issue, outcome }: SessionIssue): string[] {
  const score = outcome?.fix_gemini_score === undefined ? '' : `score ${outcome.fix_gemini_score}`
  return [
    issue.issue_code,
    outcome?.status ?? issue.status,
    outcome?.commit_sha?.slice(0, 10) ?? '',
    score,
    harmless(outcome?.error ?? issue.title),
  ]
}

/** What a person should know about a session that has not ended, besides its status. */
export function noteOn(session: SessionRecord, { worker, workflow }: Health): string | undefined {
  if (session.ended_at !== undefined) return undefined
  if (worker === 'none') return howToGoOn(session.session_id)
  if (workflow !== 'ended') return undefined
  return session.run_id === undefined
    ? 'its workflow has not started yet'
    : 'its workflow was ended from outside: the next "fixwright fix", "up" or "cancel" closes it'
}

function howToGoOn(sessionId: string): string {
  return `no instance of Fixwright runs: the session goes on from where it was with the next "fixwright up", or the same "fix" again ("fixwright cancel ${sessionId}" ends it)`
}
