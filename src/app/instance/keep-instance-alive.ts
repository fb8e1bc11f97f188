// Looks after a session that somebody waits for: an instance that died is replaced and the session goes on, a workflow in trouble is
// told of, and one that was ended from outside is closed.
import { getWorkflowHealth } from '../../client/session-workflow.ts'
import type { InstanceConnection } from './connect-instance.ts'

const HEALTH_CHECK_MS = 3_000

export interface KeepAliveOptions {
  readonly connected: InstanceConnection
  readonly workflowId: string
  /** Joins or starts an instance in place of one that is gone. */
  readonly reconnect: () => Promise<InstanceConnection>
  readonly onProgress: (text: string) => void
}

export interface InstanceKeeper {
  /** The one that serves now. */
  current(): InstanceConnection
  stop(): void
}

export function keepInstanceAlive({ connected, workflowId, reconnect, onProgress }: KeepAliveOptions): InstanceKeeper {
  let current = connected
  let busy = false
  let reported: string | undefined
  const look = async (): Promise<void> => {
    if (busy) return
    busy = true
    try {
      if (!current.instance.isAlive() || current.instance.lost.aborted) {
        onProgress('the instance of Fixwright is gone: starting another, the session goes on from where it was')
        current.close()
        current = await reconnect()
        current.instance.lost.addEventListener('abort', look, { once: true })
      }
      const health = await getWorkflowHealth(current.client, workflowId)
      const problem = health.kind === 'running' ? health.problem : undefined
      if (problem && problem !== reported) onProgress(`the session is in trouble: ${problem}`)
      reported = problem
      if (health.kind === 'ended') await current.reconcile()
    } catch (error) {
      onProgress(`looking after the session failed and is tried again: ${(error as Error).message}`)
    } finally {
      busy = false
    }
  }
  connected.instance.lost.addEventListener('abort', look, { once: true })
  const timer = setInterval(look, HEALTH_CHECK_MS)
  return {
    current: () => current,
    stop: () => {
      clearInterval(timer)
      if (current !== connected) current.close()
    },
  }
}
