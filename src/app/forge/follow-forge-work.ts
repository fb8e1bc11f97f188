// Starts work on a forge and follows it until it ends, or until it shows what a caller waits for, whatever becomes of the instance meanwhile.
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { ForgeWorkflowOptions } from '../../client/forge-workflow.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { AppContext } from '../context.ts'
import { keepInstanceAlive } from '../instance/keep-instance-alive.ts'

const LOOK_MS = 200

export type ForgeOrder<Input> = Omit<ForgeWorkflowOptions<Input>, 'taskQueue' | 'input'> & {
  readonly input: Omit<Input, 'homeQueue'>
}

export async function runForgeWork<Input, Summary>(
  app: AppContext,
  settings: Settings,
  { input, ...order }: ForgeOrder<Input>,
): Promise<Summary> {
  const { startForgeWorkflow, readForgeProgress } = await import('../../client/forge-workflow.ts')
  const { client, instance } = await app.instance.connect(settings)
  const { taskQueue, hostQueue } = instance
  await startForgeWorkflow(client, { ...order, input: { ...input, homeQueue: hostQueue }, taskQueue })
  let reported: string | undefined
  const { summary } = await followWorkflow(app, order.workflowId, settings, async (at) => {
    const progress = await readForgeProgress<Summary>(at, order.workflowId)
    if (progress.kind === 'ended') return progress
    const { waits } = progress
    if (waits !== undefined && waits !== reported) app.onProgress(`waiting for the forge's limit, ${waits}`, 'note')
    reported = waits ?? reported
    return undefined
  })
  return summary
}

/** Looks at a workflow of the home until `look` finds what is waited for. */
export async function followWorkflow<Found>(
  app: AppContext,
  workflowId: string,
  settings: Settings,
  look: (client: Client) => Promise<Found | undefined>,
): Promise<Found> {
  const kept = await keepInstanceAlive(app, { workflowId, settings })
  try {
    for (;;) {
      kept.hopeless.throwIfAborted()
      // A server that is being replaced answers again in a moment.
      const current = app.instance.current()
      const found = current && (await look(current.client).catch(orThrowOurs))
      if (found !== undefined) return found
      await delay(LOOK_MS)
    }
  } finally {
    kept.stop()
  }
}

function orThrowOurs(error: Error): undefined {
  if (error.name === 'FixwrightError') throw error
  return undefined
}
