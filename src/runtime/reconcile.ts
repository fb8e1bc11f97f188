// Closes, in the store, sessions whose workflow is gone: terminated from outside, or lost with its server's database. Their
// issues go back to open, so that nothing stays in progress with nobody working on it.
import type { Client } from '@temporalio/client'
import { runningSession } from '../client/sessions.ts'
import type { SessionRecord } from '../domain/session.ts'
import type { Store } from '../store/store.ts'

/** Between a session's row and the start of its workflow there is a moment; older than this it is no moment any more. */
const STARTING_MS = 60_000

export async function reconcile(store: Store, client: Client): Promise<void> {
  for (const session of await store.sessions.list({ running: true, limit: 1000 })) {
    if (session.run_id === undefined && Date.now() - Date.parse(session.started_at) < STARTING_MS) continue
    if ((await runningSession(client, session.workflow_id)) === session.session_id) continue
    // The workflow may have ended just now, properly: what is in the store then says so.
    const current = await store.sessions.get(session.session_id)
    if (current && current.ended_at === undefined) await closeLost(store, session)
  }
}

async function closeLost(store: Store, session: SessionRecord): Promise<void> {
  const reason = 'its workflow was ended from outside'
  for (const { issue } of await store.sessions.issuesOf(session.session_id)) {
    if (issue.status !== 'in_progress' || issue.session_id !== session.session_id) continue
    await store.issues.move({ issue_id: issue.issue_id, to: 'open', mover: 'session', session_id: session.session_id })
  }
  await store.sessions.update(session.session_id, { status: 'failed', ending: { class: 'infrastructure', reason } })
  await store.events.append(session.session_id, [{ key: 'session/ended', type: 'fix_session_error', message: reason }])
}
