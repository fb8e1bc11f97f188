// Whether somebody works on a session, asked without starting anything: only an instance that runs may be asked, and only for a
// moment. What the store can't know is here: a workflow whose task fails again and again writes no event.
import type { SessionRecord } from '../domain/session/session.ts'
import type { Settings } from '../domain/settings/schema.ts'
import type { Environment, Home } from '../runtime/home/home.ts'
import { type Instance, liveInstance } from '../runtime/instance/instance-file.ts'

export interface Health {
  readonly worker: 'running' | 'none'
  /** What Temporal says of the workflow; `unknown` where it was not to be asked or did not answer. */
  readonly workflow: 'running' | 'ended' | 'unknown'
  readonly trouble?: string | undefined
}

const PATIENCE_MS = 4_000

export async function healthOf(session: SessionRecord, home: Home, env: Environment): Promise<Health> {
  const instance = liveInstance(home)
  if (instance === undefined) return { worker: 'none', workflow: 'unknown' }
  if (session.ended_at !== undefined) return { worker: 'running', workflow: 'ended' }
  const late = AbortSignal.timeout(PATIENCE_MS)
  const timeout = new Promise<Health>((resolve) => {
    late.addEventListener('abort', () => resolve(silent(`no answer within ${PATIENCE_MS / 1000} s`)))
  })
  return await Promise.race([ask(session, instance, env).catch((error: Error) => silent(error.message)), timeout])
}

async function ask(session: SessionRecord, instance: Instance, env: Environment): Promise<Health> {
  const [{ connectClient }, { runningSession, sessionHealth }, { connectionOptions, externalCluster }] =
    await Promise.all([
      import('../client/connect.ts'),
      import('../client/session-workflow.ts'),
      import('../runtime/temporal-server/external-cluster.ts'),
    ])
  const { address, embedded, namespace } = instance
  const { temporal } = session.settings as Partial<Settings>
  const cluster = embedded || temporal === undefined ? undefined : await externalCluster({ ...temporal, address }, env)
  const reach = connectionOptions(address, cluster)
  const connected = await connectClient({ ...reach, namespace, connectTimeout: PATIENCE_MS })
  try {
    // The workflow's id belongs to the work: a later session of the same findings has it too.
    const running = await runningSession(connected.client, session.workflow_id)
    if (running !== session.session_id) return { worker: 'running', workflow: 'ended' }
    const health = await sessionHealth(connected.client, session.workflow_id)
    if (health.kind === 'unknown') return silent('it can not be asked about this session')
    return {
      worker: 'running',
      workflow: health.kind,
      ...(health.kind === 'running' ? { trouble: health.trouble } : {}),
    }
  } finally {
    connected.close()
  }
}

function silent(reason: string): Health {
  return { worker: 'running', workflow: 'unknown', trouble: `Temporal did not tell how it is: ${reason}` }
}
