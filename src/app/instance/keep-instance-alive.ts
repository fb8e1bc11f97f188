// Looks after a session that somebody waits for: replaces an instance that died, reports a workflow in trouble, and
// closes a session whose workflow was ended from outside.
import { getWorkflowHealth } from '../../client/session-workflow.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { AppContext } from '../context.ts'
import { startPolling } from '../start-polling.ts'

const HEALTH_CHECK_MS = 3_000

export interface KeptWorkflow {
  readonly workflowId: string
  /** Settings for an instance, if one has to be started. */
  readonly settings: Settings
}

/** Runs until it is stopped; `instance.current()` is always the connection in use. */
export async function keepInstanceAlive(
  { instance, onProgress }: Pick<AppContext, 'instance' | 'onProgress'>,
  { workflowId, settings }: KeptWorkflow,
): Promise<{ stop(): void }> {
  let current = await instance.connect(settings)
  let reported: string | undefined
  const report = (text: string): void => onProgress(text, 'note')
  const poll = startPolling(HEALTH_CHECK_MS, async () => {
    try {
      if (!current.instance.isAlive() || current.instance.lost.aborted) {
        report('the instance of Fixwright is gone: starting another, the session goes on from where it was')
        current = await instance.reconnect(settings)
        lookWhenLost()
      }
      const health = await getWorkflowHealth(current.client, workflowId)
      const problem = health.kind === 'running' ? health.problem : undefined
      if (problem && problem !== reported) report(`the session is in trouble: ${problem}`)
      reported = problem
      if (health.kind === 'ended') await current.reconcile()
    } catch (error) {
      report(`looking after the session failed and is tried again: ${(error as Error).message}`)
    }
  })
  lookWhenLost()
  return poll

  function lookWhenLost(): void {
    current.instance.lost.addEventListener('abort', () => poll.look(), { once: true })
  }
}
