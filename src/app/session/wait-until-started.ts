// A session is in the store before its workflow runs: an instance that was just started needs a moment for its worker.
import type { AppContext } from '../context.ts'

const WORKER_START_MS = 20_000

/** Returns when it has a workflow, has ended or is gone, and at the latest when its instance should have started it. */
export async function waitUntilStarted(
  { store, instance }: Pick<AppContext, 'store' | 'instance'>,
  sessionId: string,
): Promise<void> {
  if (!instance.joined()?.startsSessions) return
  for await (const _ of store.watch({ signal: AbortSignal.timeout(WORKER_START_MS) })) {
    const session = await store.sessions.get(sessionId)
    if (session === undefined || session.run_id !== undefined || session.ended_at !== undefined) return
  }
}
