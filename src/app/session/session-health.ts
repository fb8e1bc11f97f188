// Checks whether a session is being worked on, without starting anything: it asks only a running instance, and briefly.
// A workflow whose task fails again and again writes no event, so the store can't show that.

import type { WorkflowHealth } from '../../client/session-workflow.ts'
import { isWaitingForPerson, type SessionRecord } from '../../domain/session/session.ts'
import type { SessionState } from '../../domain/session/session-state.ts'
import type { Environment, Home } from '../../runtime/home/home.ts'
import { askDoor } from '../../runtime/instance/door.ts'
import { findLiveInstance, type Instance } from '../../runtime/instance/instance-file.ts'
import type { AppContext } from '../context.ts'
import { loadSessionState, reloadSession } from './load-session-state.ts'
import { type ProgressReport, readProgress } from './session-progress.ts'

export interface SessionHealthReport {
  readonly worker: 'running' | 'none'
  /** The workflow's state in Temporal; `unknown` if Temporal was not asked or did not answer. */
  readonly workflow: 'running' | 'ended' | 'unknown'
  readonly problem?: string | undefined
}

export interface SessionStatus {
  readonly state: SessionState
  /** What it is doing; null before its first event and after its last. */
  readonly progress: ProgressReport | null
  readonly health: SessionHealthReport
  /** News for a person besides the status of a session that has not ended. */
  readonly note: string | undefined
}

const HEALTH_TIMEOUT_MS = 4_000

export async function loadSessionStatus(app: AppContext, session: SessionRecord): Promise<SessionStatus> {
  const health = await checkSessionHealth(app, session)
  // Read after Temporal was asked: a workflow that has ended is in the store by then, unless ended from outside.
  const current = await reloadSession(app, session)
  const progress = current.ended_at === undefined ? await readProgress(app, current.session_id).refresh() : undefined
  return {
    state: await loadSessionState(app, current),
    progress: progress ?? null,
    health,
    note: describeHealthNote(current, health),
  }
}

export async function checkSessionHealth(
  { home, env }: Pick<AppContext, 'home' | 'env'>,
  session: SessionRecord,
): Promise<SessionHealthReport> {
  const instance = findLiveInstance(home)
  if (instance === undefined) return { worker: 'none', workflow: 'unknown' }
  if (session.ended_at !== undefined) return { worker: 'running', workflow: 'ended' }
  const late = AbortSignal.timeout(HEALTH_TIMEOUT_MS)
  const timeout = new Promise<SessionHealthReport>((resolve) => {
    late.addEventListener('abort', () => resolve(unknownHealth(`no answer within ${HEALTH_TIMEOUT_MS / 1000} s`)))
  })
  return await Promise.race([
    askHealth(home, session, instance, env).catch((error: Error) => unknownHealth(error.message)),
    timeout,
  ])
}

async function askHealth(
  home: Home,
  session: SessionRecord,
  instance: Instance,
  env: Environment,
): Promise<SessionHealthReport> {
  const { session_id, run_id, workflow_id: workflowId } = session
  const question = { kind: 'health', workflowId, session: { session_id, run_id } } as const
  return toReport((await askDoor(home, question)) ?? (await queryTemporalHealth(session, instance, env)))
}

/** Asks Temporal itself, for an instance whose door is closed. */
async function queryTemporalHealth(
  session: SessionRecord,
  instance: Instance,
  env: Environment,
): Promise<WorkflowHealth> {
  const [{ connectClient }, { isSessionRunning }, { getWorkflowHealth }, { toConnectionOptions, findExternalCluster }] =
    await Promise.all([
      import('../../client/connect.ts'),
      import('../../client/describe-workflow.ts'),
      import('../../client/session-workflow.ts'),
      import('../../runtime/temporal-server/external-cluster.ts'),
    ])
  const { address, embedded, namespace } = instance
  const { temporal } = session.settings
  const cluster = embedded ? undefined : await findExternalCluster({ ...temporal, address }, env)
  const reach = toConnectionOptions(address, cluster)
  const connected = await connectClient({ ...reach, namespace, connectTimeout: HEALTH_TIMEOUT_MS })
  try {
    if (!(await isSessionRunning(connected.client, session))) return { kind: 'ended', status: 'NOT_FOUND' }
    return await getWorkflowHealth(connected.client, session.workflow_id)
  } finally {
    connected.close()
  }
}

function toReport(health: WorkflowHealth): SessionHealthReport {
  if (health.kind === 'unknown') return unknownHealth('it can not be asked about this session')
  if (health.kind === 'unstarted') {
    return {
      worker: 'running',
      workflow: 'unknown',
      problem: `its workflow could not be started yet: ${health.problem}`,
    }
  }
  return {
    worker: 'running',
    workflow: health.kind,
    ...(health.kind === 'running' ? { problem: health.problem } : {}),
  }
}

function unknownHealth(reason: string): SessionHealthReport {
  return { worker: 'running', workflow: 'unknown', problem: `Temporal did not tell how it is: ${reason}` }
}

/** Describes what a person should know besides the status of a session that has not ended. */
export function describeHealthNote(
  session: SessionRecord,
  { worker, workflow }: SessionHealthReport,
): string | undefined {
  if (session.ended_at !== undefined) return undefined
  // A waiting session needs no worker until somebody answers, and the answer starts an instance.
  if (worker === 'none' && isWaitingForPerson(session)) return undefined
  if (worker === 'none') return howToResume(session.session_id)
  if (workflow !== 'ended') return undefined
  return session.run_id === undefined
    ? 'its workflow has not started yet'
    : 'its workflow was ended from outside: the next "fixwright fix", "up" or "cancel" closes it'
}

function howToResume(sessionId: string): string {
  return `no instance of Fixwright runs: the session goes on from where it was with the next "fixwright up", or the same "fix" again ("fixwright cancel ${sessionId}" ends it)`
}
