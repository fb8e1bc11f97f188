// What commands ask the instance for at its door.
import type { Client } from '@temporalio/client'
import { getWorkflowHealth } from '../../client/session-workflow.ts'
import type { Store } from '../../store/store.ts'
import type { Home } from '../home/home.ts'
import type { DoorKeeper } from '../instance/door.ts'
import { closeOrphanedSessions } from './close-orphaned-sessions.ts'
import type { StartingSessions } from './start-sessions.ts'

interface Household {
  readonly home: Home
  readonly store: Store
  readonly client: Client
  readonly starting: StartingSessions
}

export function createDoorKeeper({ home, store, client, starting }: Household): DoorKeeper {
  return {
    start: async ({ sessionId }) => ({ kind: (await starting.start(sessionId)) ? 'started' : 'given_up' }),
    reconcile: async () => {
      await closeOrphanedSessions(home, store, client)
      return {}
    },
    health: async ({ workflowId }) => {
      const problem = starting.findProblem(workflowId)
      if (problem === undefined) return await getWorkflowHealth(client, workflowId)
      return { kind: 'running', problem: `its workflow could not be started yet: ${problem}`, stalledMs: 0 }
    },
  }
}
