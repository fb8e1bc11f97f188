// Looks after a session that somebody waits for: an instance that died is replaced and the session goes on, a workflow in trouble is
// told of, and one that was ended from outside is closed.
import { sessionHealth } from '../client/session-workflow.ts'
import type { Connected } from './connect-instance.ts'

const HEALTH_MS = 3_000

export interface Keeping {
  readonly connected: Connected
  readonly workflowId: string
  /** Joins or starts an instance in place of one that is gone. */
  readonly again: () => Promise<Connected>
  readonly say: (text: string) => void
}

export interface Kept {
  /** The one that serves now. */
  current(): Connected
  end(): void
}

export function keepInstance({ connected, workflowId, again, say }: Keeping): Kept {
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
        current = await again()
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
    current: () => current,
    end: () => {
      clearInterval(timer)
      if (current !== connected) current.leave()
    },
  }
}
