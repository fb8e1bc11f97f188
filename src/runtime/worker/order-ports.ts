// Gives the activities for orders the worker's home and settings, and a client of its Temporal.
import { Client } from '@temporalio/client'
import type { OrderPorts } from '../../activities/context.ts'
import { checkOrder } from '../../preflight/check-order.ts'
import type { Store } from '../../store/store.ts'
import type { WorkerContext } from '../instance/worker-term.ts'
import { closeOrphanedSessions } from './close-orphaned-sessions.ts'

export function createOrderPorts(context: WorkerContext, store: Store): OrderPorts {
  const { home, env, settings, connection, namespace } = context
  const client = new Client({ connection, namespace })
  return {
    check: (order) => checkOrder(order, { home, env, settings, store }),
    closeOrphans: () => closeOrphanedSessions(home, store, client),
  }
}
