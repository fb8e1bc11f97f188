// A session is in the store before its workflow runs: an instance that was just started needs a moment for its worker.
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'

/** A newly started instance needs this long for its worker. */
export const WORKER_START_MS = 20_000

/** Returns when the session has a workflow, has ended or is gone, and at the latest when its instance should have started it. */
export async function waitUntilStarted(
  { store, instance }: Pick<AppContext, 'store' | 'instance'>,
  { session_id: sessionId, run_id }: SessionRecord,
): Promise<void> {
  if (run_id !== undefined || !instance.joined()?.startsSessions) return
  for await (const _ of store.watch({ signal: AbortSignal.timeout(WORKER_START_MS) })) {
    const session = await store.sessions.get(sessionId)
    if (session === undefined || session.run_id !== undefined || session.ended_at !== undefined) return
  }
}
