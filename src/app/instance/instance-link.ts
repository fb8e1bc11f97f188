// The link to an instance, for whatever starts or follows sessions. The instance answers at its door, so that no client of Temporal is
// loaded here. For an instance without a door, the link uses a client of its own.
import type { Client } from '@temporalio/client'
import type { WorkflowHealth } from '../../client/session-workflow.ts'
import type { Finding } from '../../domain/issue/parse-findings.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Home } from '../../runtime/home/home.ts'
import { askDoor } from '../../runtime/instance/door.ts'
import type { JoinedInstance } from '../../runtime/instance/join-instance.ts'
import type { Store } from '../../store/store.ts'

export interface InstanceConnection {
  readonly instance: JoinedInstance
  readonly client: Client
  /** Closes sessions whose workflow is gone. */
  reconcile(): Promise<void>
  close(): void
}

export interface InstanceLink {
  readonly instance: JoinedInstance
  /** Starts the workflow of a session in the store. `given_up`: the session was discarded, as it had no workflow yet. */
  start(session: SessionRecord, findings: readonly Finding[]): Promise<'started' | 'given_up'>
  /** Closes sessions whose workflow is gone. */
  reconcile(): Promise<void>
  health(workflowId: string): Promise<WorkflowHealth>
}

/** The link to an instance that starts the sessions in the store by itself. `connect` is for an instance whose door stays closed. */
export function createDoorLink(
  home: Home,
  instance: JoinedInstance,
  connect: () => Promise<InstanceConnection>,
): InstanceLink {
  return {
    instance,
    async start({ session_id: sessionId }) {
      // An instance that does not hear of the session finds it in the store. How the start goes is seen by its health.
      const answer = await askDoor(home, { kind: 'start', sessionId }).catch(() => undefined)
      return answer?.kind ?? 'started'
    },
    async reconcile() {
      if ((await askDoor(home, { kind: 'reconcile' })) === undefined) await (await connect()).reconcile()
    },
    async health(workflowId) {
      const answer = await askDoor(home, { kind: 'health', workflowId })
      if (answer !== undefined) return answer
      // The instance is still starting, or it has ended, which is noticed in a moment.
      if (!instance.isServing() || !instance.isAlive()) return { kind: 'unknown' }
      return await askTemporal(await connect(), workflowId)
    },
  }
}

/** The link to an instance of an earlier version, where everything takes a client. */
export function createClientLink(connection: InstanceConnection, store: Store): InstanceLink {
  const { instance, client, reconcile } = connection
  return {
    instance,
    reconcile,
    health: (workflowId) => askTemporal(connection, workflowId),
    async start(session, findings) {
      const { session_id: sessionId } = session
      const { startSessionWorkflow, terminateSessionWorkflow } = await import('../../client/session-workflow.ts')
      const started = await startSessionWorkflow(client, { sessionId, session, findings, instance })
      if (started.kind === 'exists') return 'started'
      if (await store.sessions.update(sessionId, { run_id: started.runId })) return 'started'
      // This start took so long that another process took it for a killed one.
      await terminateSessionWorkflow(client, { ...session, run_id: started.runId }, 'its start was given up')
      return 'given_up'
    },
  }
}

async function askTemporal({ client }: InstanceConnection, workflowId: string): Promise<WorkflowHealth> {
  const { getWorkflowHealth } = await import('../../client/session-workflow.ts')
  return await getWorkflowHealth(client, workflowId)
}
