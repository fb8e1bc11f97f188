// Closes sessions whose workflow is gone: terminated from outside, or lost with its server's database. They are closed like any other:
// commits count, other issues go back to open, and none of their processes runs on.
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { isSessionRunning } from '../../client/describe-workflow.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { CloseInput, Ending } from '../../domain/workflow-types/index.ts'
import type { Store } from '../../store/store.ts'
import type { Home } from '../home/home.ts'

const GIT_ATTEMPTS = 4
const RETRY_DELAY_MS = 500

export async function closeOrphanedSessions(home: Pick<Home, 'sessions'>, store: Store, client: Client): Promise<void> {
  for (const session of await store.sessions.list({ running: true, limit: 1000 })) {
    const { session_id, run_id } = session
    // Its start is still to come.
    if (run_id === undefined) continue
    if (await isSessionRunning(client, session)) continue
    // The workflow may have ended properly a moment ago; the store then has the session's end.
    if ((await store.sessions.get(session_id))?.ended_at !== undefined) continue
    await closeLostSession(home, store, { sessionId: session_id, ending: determineEnding(session) })
  }
}

/** The last attempt closes the session without git: one unreadable repository must not keep other work from beginning. */
export async function closeLostSession(
  home: Pick<Home, 'sessions'>,
  store: Store,
  { sessionId, ending }: { readonly sessionId: string; readonly ending: Ending },
): Promise<void> {
  const [{ closeSession }, { createMasking }, { GitError }] = await Promise.all([
    import('../../activities/close/close-session.ts'),
    import('../../platform/masking/mask-secrets.ts'),
    import('../../platform/git/git.ts'),
  ])
  const input: CloseInput = { sessionId, outcomes: {}, ending, at: Date.now() }
  const context = { store, sessionsFolder: home.sessions, masking: createMasking(process.env) }
  for (let attempt = 1; ; attempt += 1) {
    try {
      await closeSession({ ...context, isLast: attempt === GIT_ATTEMPTS }, input)
      return
    } catch (error) {
      if (!(error instanceof GitError) || attempt === GIT_ATTEMPTS) throw error
      await delay(RETRY_DELAY_MS)
    }
  }
}

/** The reason may have been recorded before the workflow was ended. */
function determineEnding({ ending }: SessionRecord): Ending {
  if (ending?.class === undefined) return { class: 'infrastructure', detail: 'its workflow was ended from outside' }
  return { class: ending.class, detail: ending.reason }
}
