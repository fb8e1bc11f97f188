// Stops the session that is at a piece of work, however stuck it is; when this returns, its processes, its workspace and its branch are
// free. It is cancelled first, and ends as any cancelled session does. Where its workflow can't do that any more, because no worker takes
// its steps or each fails at them, it is terminated, and closed from here as cancelled.
// Gap: a session of another FIXWRIGHT_HOME is cancelled or terminated, too, but what it holds is for that home to close.
import { setTimeout as delay } from 'node:timers/promises'
import type { Home } from '../runtime/home/home.ts'
import type { Store } from '../store/store.ts'
import type { Connected } from './connect-instance.ts'

export interface Forcing {
  readonly home: Home
  readonly store: Store
  readonly connected: Connected
  /** Who asks for it, and from where. */
  readonly by?: string | undefined
  readonly from?: string | undefined
  readonly say: (text: string) => void
}

interface Stuck {
  readonly sessionId: string
  readonly workflowId: string
}

/** For a worker to say that it has heard; one that was just started needs a moment. */
const ANSWER_MS = 5_000
/** So long nobody may take its next step, or everybody fail at it: a worker that is just starting is faster. */
const STALLED_MS = 15_000
/** A worker that died has to be missed, and a large workspace to be removed. */
const PATIENCE_MS = 60_000
const LET_GO_MS = 10_000
const LOOK_MS = 100

/** Answers why it could not be stopped, where it could not. */
export async function stopForGood(forcing: Forcing, stuck: Stuck): Promise<string | undefined> {
  const { home, store, connected, say } = forcing
  const { sessionId, workflowId } = stuck
  const session = await store.sessions.get(sessionId)
  const waits = session?.waiting ? `, and waits for ${session.waiting.reason}` : ''
  say(`session ${sessionId} is at this work${waits}: it is cancelled, because this start is forced`)
  const { cancel } = await import('../client/session-messages.ts')
  const message = { reason: 'another start of this work was forced', ...signature(forcing) }
  await cancel(connected.client, workflowId, message, { sessionId, patienceMs: ANSWER_MS })
  const why = await untilEnded(connected, stuck)
  if (why !== undefined) await terminate(forcing, stuck, why)
  if (session === undefined) return undefined

  const { heldBy, hasProcesses, untilNot } = await import('./session-leftovers.ts')
  // Its worker, if there is one, ends them itself when it hears that there is nothing to work for any more.
  await untilNot(() => hasProcesses(sessionId), LET_GO_MS)
  await closeWhatIsGone(connected)
  const isFree = await untilNot(() => heldBy(home, sessionId) !== undefined, LET_GO_MS)
  return isFree ? undefined : `session ${sessionId} was ended, but ${heldBy(home, sessionId)}`
}

async function closeWhatIsGone({ reconcile }: Connected): Promise<void> {
  const giveUpAt = performance.now() + LET_GO_MS
  for (;;) {
    try {
      return await reconcile()
    } catch (error) {
      // Its worker may not have heard yet, and still write into the workspace that is to be removed.
      if (performance.now() > giveUpAt) throw error
      await delay(LOOK_MS)
    }
  }
}

/** Why it has to be terminated, where it does not end by itself. */
async function untilEnded({ client }: Connected, { sessionId, workflowId }: Stuck): Promise<string | undefined> {
  const { runningSession, sessionHealth } = await import('../client/session-workflow.ts')
  const from = performance.now()
  while ((await runningSession(client, workflowId)) === sessionId) {
    const health = await sessionHealth(client, workflowId)
    const passed = performance.now() - from
    if (health.kind === 'running' && Math.min(health.stalledMs, passed) > STALLED_MS) {
      return health.trouble ?? 'no worker takes its next step'
    }
    if (passed > PATIENCE_MS) return `it did not end within ${PATIENCE_MS / 1000} s`
    await delay(LOOK_MS)
  }
  return undefined
}

function signature({ by, from }: Forcing): { by?: string; from?: string } {
  return { ...(by === undefined ? {} : { by }), ...(from === undefined ? {} : { from }) }
}

async function terminate(forcing: Forcing, stuck: Stuck, why: string): Promise<void> {
  const { store, connected, say } = forcing
  const { sessionId, workflowId } = stuck
  say(`session ${sessionId} can't end by itself (${why}): its workflow is terminated`)
  const [{ terminateSession }, { personHere }] = await Promise.all([
    import('../client/session-workflow.ts'),
    import('../client/caller-identity.ts'),
  ])
  const { by = personHere() } = forcing
  const reason = `cancelled by ${by}: another start of this work was forced, and it could not end by itself: ${why}`
  // Before the deed: whoever finds its workflow gone closes it with these words.
  await store.sessions.update(sessionId, { ending: { class: 'cancelled', reason } })
  await terminateSession(connected.client, workflowId, { sessionId, reason })
}
