// The worker's side of bench/watches.ts: the real workflow and the real look at a forge. What follows from a look is left out.
import { NativeConnection, Worker } from '@temporalio/worker'
import type { ActivityContext } from '../src/activities/context.ts'
import { createSessionActivities } from '../src/activities/index.ts'
import type { WatchActivities } from '../src/domain/workflow-types/index.ts'
import { MAX_CACHED_SESSIONS } from '../src/runtime/worker/worker.ts'
import { loadWorkflowBundle } from '../src/runtime/worker/workflow-bundle.ts'

const [address = '', namespace = '', queue = ''] = process.argv.slice(2)

const context = {
  environment: { GH_ENTERPRISE_TOKEN: 'of-the-bench' },
  searchAttributes: [],
  store: { repositories: { get: async () => undefined } },
} as unknown as ActivityContext
const activities: Omit<WatchActivities, 'findCommands'> = {
  lookAtPull: createSessionActivities(context).lookAtPull,
  recordLanding: async () => ({
    kind: 'done',
    value: { merged: [], reopened: [], restored: [], unknown: [], left: 1 },
  }),
}

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  ...{ namespace, taskQueue: queue, activities },
  workflowBundle: await loadWorkflowBundle(),
  maxCachedWorkflows: MAX_CACHED_SESSIONS,
})
process.send?.('ready')
await worker.run()
