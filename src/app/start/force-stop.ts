// Stops a session, however stuck it is, and frees its processes, workspace and branch.
// Gap: a session of another FIXWRIGHT_HOME is cancelled or terminated, too, but only that home can free its resources.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SessionReference } from '../../client/describe-workflow.ts'
import { findMarkedProcesses } from '../../platform/processes/marked-processes.ts'
import type { Home } from '../../runtime/home/home.ts'
import { type AppContext, nameSender } from '../context.ts'
import type { InstanceConnection } from '../instance/instance-link.ts'

/** The time for a worker to take the message; a newly started one needs a moment. */
const ANSWER_WITHIN_MS = 5_000
/** After this time without progress on the next task the workflow counts as stuck; a starting worker is faster. */
const STALLED_MS = 15_000
/** A dead worker must be noticed, and a large workspace takes time to remove. */
const CANCEL_WITHIN_MS = 60_000
const RELEASE_WITHIN_MS = 10_000
const POLL_MS = 100

/**
 * Cancels the session first. If its workflow can't end, because no worker takes its tasks or each one fails, the
 * workflow is terminated and the session closed as cancelled. Returns the reason if the session could not be stopped.
 */
export async function forceStopSession(
  app: AppContext,
  connected: InstanceConnection,
  stuck: SessionReference,
): Promise<string | undefined> {
  const { home, store, sender, sign, onProgress } = app
  const { session_id: sessionId, workflow_id: workflowId } = stuck
  const session = await store.sessions.get(sessionId)
  const waits = session?.waiting ? `, and waits for ${session.waiting.reason}` : ''
  onProgress(`session ${sessionId} is at this work${waits}: it is cancelled, because this start is forced`, 'note')
  const { sendSessionMessage } = await import('../../client/session-messages.ts')
  const message = { reason: 'another start of this work was forced', ...sender }
  await sendSessionMessage(connected.client, workflowId, 'cancel', message, {
    sessionId,
    answerWithinMs: ANSWER_WITHIN_MS,
    sign,
  })
  const why = await waitForEnd(connected, stuck)
  if (why !== undefined) await terminateStuckSession(app, connected, stuck, why)
  if (session === undefined) return undefined

  // A living worker ends the processes itself once it learns that the workflow is gone.
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
      // The worker may not know yet, and still write into the workspace that is to be removed.
      if (performance.now() > giveUpAt) throw error
      await delay(POLL_MS)
    }
  }
}

/** Returns why the workflow must be terminated, or undefined if it ended by itself. */
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
  app: AppContext,
  { client }: InstanceConnection,
  stuck: SessionReference,
  why: string,
): Promise<void> {
  const { store, onProgress } = app
  const { session_id: sessionId } = stuck
  onProgress(`session ${sessionId} can't end by itself (${why}): its workflow is terminated`, 'note')
  const { terminateSessionWorkflow } = await import('../../client/session-workflow.ts')
  const ending = 'another start of this work was forced, and it could not end by itself'
  const reason = `cancelled by ${nameSender(app).by}: ${ending}: ${why}`
  // Recorded before the termination: whoever finds the workflow gone closes the session with this reason.
  await store.sessions.update(sessionId, { ending: { class: 'cancelled', reason } })
  await terminateSessionWorkflow(client, stuck, reason)
}

function hasSessionProcesses(sessionId: string): boolean {
  return findMarkedProcesses(sessionId).length > 0
}

function describeLeftovers({ sessions }: Home, sessionId: string): string | undefined {
  const processes = findMarkedProcesses(sessionId).map(({ identity }) => identity.pid)
  if (processes.length > 0) return `still has processes: ${processes.join(', ')}`
  const folder = join(sessions, sessionId)
  return existsSync(folder) ? `still has its folder ${folder}` : undefined
}

/** Returns false if the condition still holds after `waitMs`. */
async function waitUntilFalse(isSo: () => boolean, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  while (isSo()) {
    if (performance.now() > deadline) return false
    await delay(50)
  }
  return true
}
