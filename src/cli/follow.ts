// Shows a session until it has ended. It reads the event log, so it needs neither Temporal nor the worker; what it looks after
// is that there is an instance: should that die, a successor is started and the session goes on.
import { cancelSession, sessionHealth } from '../client/sessions.ts'
import type { FixSessionResult } from '../domain/session.ts'
import type { Settings } from '../domain/settings.ts'
import type { Home } from '../runtime/home.ts'
import { followEvents } from '../store/follow.ts'
import type { Store } from '../store/store.ts'
import { say, storyteller } from './console.ts'
import { CANNOT_GO_ON, Exit } from './exit.ts'
import { type Connected, connect } from './instance.ts'
import { resultOf } from './result.ts'

const HEALTH_MS = 3_000

export interface Following {
  readonly store: Store
  readonly home: Home
  readonly settings: Settings
  readonly connected: Connected
  readonly sessionId: string
}

export async function followSession(following: Following): Promise<FixSessionResult> {
  const { store, sessionId } = following
  const record = await store.sessions.get(sessionId)
  if (!record) throw new Exit(CANNOT_GO_ON, `session ${sessionId} is not in the store of this home`)
  say(`session ${sessionId}${whereInUi(following, record.workflow_id)}`)
  const keeper = keepInstance(following, record.workflow_id)
  const forget = cancelOnInterrupt(() => keeper.client(), record.workflow_id, sessionId)
  const tell = storyteller(process.stderr)
  try {
    for await (const event of followEvents(store, sessionId)) {
      const line = tell(event)
      if (line !== undefined) say(line)
    }
  } finally {
    forget()
    keeper.end()
  }
  return await resultOf(store, sessionId)
}

function whereInUi({ connected }: Following, workflowId: string): string {
  const { uiUrl, namespace } = connected.joined
  return uiUrl === null ? '' : ` · ${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`
}

/** Looks at the instance and at the workflow now and then; an instance that died is replaced, and what it left goes on. */
function keepInstance({ home, settings, connected }: Following, workflowId: string) {
  let current = connected
  let busy = false
  let told: string | undefined
  const look = async (): Promise<void> => {
    if (busy) return
    busy = true
    try {
      if (!current.joined.isAlive() || current.joined.lost.aborted) {
        say('the instance of Fixwright is gone: starting another, the session goes on from where it was')
        current.leave()
        current = await connect(home, settings, 'command')
        current.joined.lost.addEventListener('abort', look, { once: true })
      }
      const health = await sessionHealth(current.client, workflowId)
      const trouble = health.kind === 'running' ? health.trouble : undefined
      if (trouble && trouble !== told) say(`the session is in trouble: ${trouble}`)
      told = trouble
      if (health.kind === 'ended') await current.reconcile()
    } catch (error) {
      say(`looking after the session failed and is tried again: ${(error as Error).message}`)
    } finally {
      busy = false
    }
  }
  connected.joined.lost.addEventListener('abort', look, { once: true })
  const timer = setInterval(look, HEALTH_MS)
  return {
    client: () => current.client,
    end: () => {
      clearInterval(timer)
      if (current !== connected) current.leave()
    },
  }
}

/** The first Ctrl-C asks, the second cancels; where nobody can be asked, the first one does. */
function cancelOnInterrupt(client: () => Connected['client'], workflowId: string, sessionId: string): () => void {
  let asked = !process.stdin.isTTY
  const onInterrupt = (): void => {
    if (!asked) {
      asked = true
      say(`press Ctrl-C again to cancel session ${sessionId}; closing this terminal leaves it running`)
      return
    }
    say(`cancelling session ${sessionId}: committed stages stay, the attempt in work is taken back`)
    cancelSession(client(), workflowId).catch((error: Error) => say(`it could not be cancelled: ${error.message}`))
  }
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onInterrupt)
  return () => {
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onInterrupt)
  }
}
