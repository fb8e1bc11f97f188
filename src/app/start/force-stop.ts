// Stops the session that is at a piece of work, however stuck it is; when this returns, its processes, its workspace and its branch are
// free. It is cancelled first, and ends as any cancelled session does. Where its workflow can't do that any more, because no worker takes
// its steps or each fails at them, it is terminated, and closed from here as cancelled.
// Gap: a session of another FIXWRIGHT_HOME is cancelled or terminated, too, but what it holds is for that home to close.
import { setTimeout as delay } from 'node:timers/promises'
import type { SessionReference } from '../../client/describe-workflow.ts'
import type { AppContext } from '../context.ts'
import type { InstanceConnection } from '../instance/connect-instance.ts'

/** For a worker to say that it has heard; one that was just started needs a moment. */
const ANSWER_WITHIN_MS = 5_000
/** So long nobody may take its next step, or everybody fail at it: a worker that is just starting is faster. */
const STALLED_MS = 15_000
/** A worker that died has to be missed, and a large workspace to be removed. */
const CANCEL_WITHIN_MS = 60_000
const RELEASE_WITHIN_MS = 10_000
const POLL_MS = 100

/** Answers why it could not be stopped, where it could not. */
export async function forceStopSession(
  app: AppContext,
  connected: InstanceConnection,
  stuck: SessionReference,
): Promise<string | undefined> {
  const { home, store, sender, onProgress } = app
  const { session_id: sessionId, workflow_id: workflowId } = stuck
  const session = await store.sessions.get(sessionId)
  const waits = session?.waiting ? `, and waits for ${session.waiting.reason}` : ''
  onProgress(`session ${sessionId} is at this work${waits}: it is cancelled, because this start is forced`, 'note')
  const { sendCancel } = await import('../../client/session-messages.ts')
  const message = { reason: 'another start of this work was forced', ...sender }
  await sendCancel(connected.client, workflowId, message, { sessionId, answerWithinMs: ANSWER_WITHIN_MS })
  const why = await waitForEnd(connected, stuck)
  if (why !== undefined) await terminateStuckSession(app, connected, stuck, why)
  if (session === undefined) return undefined

  const { describeLeftovers, hasSessionProcesses, waitUntilFalse } = await import('./session-leftovers.ts')
  // Its worker, if there is one, ends them itself when it hears that there is nothing to work for any more.
  await waitUntilFalse(() => hasSessionProcesses(sessionId), RELEASE_WITHIN_MS)
  await reconcileWithRetry(connected)
  const isFree = await waitUntilFalse(() => describeLeftovers(home, sessionId) !== undefined, RELEASE_WITHIN_MS)
  return isFree ? undefined : `session ${sessionId} was ended, but ${describeLeftovers(home, sessionId)}`
}

async function reconcileWithRetry({ reconcile }: InstanceConnection): Promise<void> {
  const giveUpAt = performance.now() + RELEASE_WITHIN_MS
  for (;;) {
    try {
      return await reconcile()
    } catch (error) {
      // Its worker may not have heard yet, and still write into the workspace that is to be removed.
      if (performance.now() > giveUpAt) throw error
      await delay(POLL_MS)
    }
  }
}

/** Why it has to be terminated, where it does not end by itself. */
async function waitForEnd({ client }: InstanceConnection, stuck: SessionReference): Promise<string | undefined> {
  const [{ isSessionRunning }, { getWorkflowHealth }] = await Promise.all([
    import('../../client/describe-workflow.ts'),
    import('../../client/session-workflow.ts'),
  ])
  const from = performance.now()
  while (await isSessionRunning(client, stuck)) {
    const health = await getWorkflowHealth(client, stuck.workflow_id)
    const passed = performance.now() - from
    if (health.kind === 'running' && Math.min(health.stalledMs, passed) > STALLED_MS) {
      return health.problem ?? 'no worker takes its next step'
    }
    if (passed > CANCEL_WITHIN_MS) return `it did not end within ${CANCEL_WITHIN_MS / 1000} s`
    await delay(POLL_MS)
  }
  return undefined
}

async function terminateStuckSession(
  { store, sender, onProgress }: AppContext,
  { client }: InstanceConnection,
  stuck: SessionReference,
  why: string,
): Promise<void> {
  const { session_id: sessionId } = stuck
  onProgress(`session ${sessionId} can't end by itself (${why}): its workflow is terminated`, 'note')
  const { terminateSessionWorkflow } = await import('../../client/session-workflow.ts')
  const ending = 'another start of this work was forced, and it could not end by itself'
  const reason = `cancelled by ${sender.by}: ${ending}: ${why}`
  // Before the deed: whoever finds its workflow gone closes it with these words.
  await store.sessions.update(sessionId, { ending: { class: 'cancelled', reason } })
  await terminateSessionWorkflow(client, stuck, reason)
}
