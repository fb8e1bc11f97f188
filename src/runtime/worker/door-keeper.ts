// Answers what commands ask the instance for at its door.
import type { Client } from '@temporalio/client'
import { isSessionRunning } from '../../client/describe-workflow.ts'
import { getWorkflowHealth } from '../../client/session-workflow.ts'
import type { Store } from '../../store/store.ts'
import type { Home } from '../home/home.ts'
import type { DoorKeeper } from '../instance/door.ts'
import { closeOrphanedSessions } from './close-orphaned-sessions.ts'
import type { StartingSessions } from './start-sessions.ts'

interface DoorKeeperContext {
  readonly home: Home
  readonly store: Store
  readonly client: Client
  readonly starting: StartingSessions
}

export function createDoorKeeper({ home, store, client, starting }: DoorKeeperContext): DoorKeeper {
  return {
    start: async ({ sessionId }) => ({ kind: (await starting.start(sessionId)) ? 'started' : 'given_up' }),
    reconcile: async () => {
      await closeOrphanedSessions(home, store, client)
      return {}
    },
    health: async ({ workflowId, session }) => {
      const problem = starting.findProblem(workflowId)
      if (problem !== undefined) return { kind: 'unstarted', problem }
      const isItsOwn =
        session === undefined || (await isSessionRunning(client, { ...session, workflow_id: workflowId }))
      return isItsOwn ? await getWorkflowHealth(client, workflowId) : { kind: 'ended', status: 'NOT_FOUND' }
    },
  }
}
