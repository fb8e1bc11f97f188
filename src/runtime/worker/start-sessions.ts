// Starts the workflows of sessions that a command has written to the store. A session's row is the request, and stays one until its
// workflow is known. After a crash it is started again: its workflow's id lets it begin only once. After a day the request is closed.
import type { Client } from '@temporalio/client'
import { describeWorkflow, getFirstRunId } from '../../client/describe-workflow.ts'
import { startSessionWorkflow, terminateSessionWorkflow } from '../../client/session-workflow.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { Logger } from '../../platform/logging/logger.ts'
import type { Store } from '../../store/store.ts'
import type { Home } from '../home/home.ts'
import type { WorkerContext } from '../instance/connect-worker.ts'
import { closeLostSession } from './close-orphaned-sessions.ts'

/** Commands ask at the door at once; this is for commands that were killed before, and for starts that failed. */
const LOOK_EVERY_MS = 1_000
/** Who asked has left long ago, and the repository has moved on: an instance of another day must not begin to change it. */
const START_WITHIN_MS = 24 * 60 * 60_000

export interface StarterContext extends Pick<WorkerContext, 'taskQueue' | 'hostQueue' | 'attributes'> {
  readonly home: Pick<Home, 'sessions'>
  readonly store: Store
  readonly client: Client
  readonly log: Logger
}

export interface StartingSessions {
  /** Returns whether the session has a workflow now; false if it was given up, or asked for too long ago. */
  start(sessionId: string): Promise<boolean>
  /** Why the workflow could not be started yet. */
  findProblem(workflowId: string): string | undefined
  end(): Promise<void>
}

export function startWaitingSessions(starter: StarterContext): StartingSessions {
  const { store, log } = starter
  const problems = new Map<string, string>()
  const underWay = new Map<string, Promise<boolean>>()
  let looking: Promise<void> | undefined

  async function start(sessionId: string): Promise<boolean> {
    const session = await store.sessions.get(sessionId)
    if (session === undefined) return false
    if (session.run_id !== undefined || session.ended_at !== undefined) return session.run_id !== undefined
    return await startOnce(session)
  }

  function startOnce(session: SessionRecord): Promise<boolean> {
    const { session_id: id } = session
    const begun = underWay.get(id) ?? beginWorkflow(starter, session)
    underWay.set(id, begun)
    return begun.finally(() => underWay.delete(id))
  }

  async function look(): Promise<void> {
    const waiting = await store.sessions.listUnstarted()
    const workflows = new Set(waiting.map(({ workflow_id }) => workflow_id))
    for (const id of problems.keys()) if (!workflows.has(id)) problems.delete(id)
    for (const session of waiting) {
      await startOnce(session).then(
        () => problems.delete(session.workflow_id),
        (error: Error) => noteProblem(session, error),
      )
    }
  }

  /** A problem stays while it is tried again, and the log has it once. */
  function noteProblem({ session_id, workflow_id }: SessionRecord, error: Error): void {
    if (problems.get(workflow_id) === error.message) return
    problems.set(workflow_id, error.message)
    log.warn('a session could not be started, which is tried again', { session_id, error })
  }

  function lookOnce(): void {
    looking ??= look()
      .catch((error: unknown) => log.warn('whether sessions wait for their start can not be told', { error }))
      .finally(() => {
        looking = undefined
      })
  }

  lookOnce()
  const timer = setInterval(lookOnce, LOOK_EVERY_MS).unref()
  return {
    start,
    findProblem: (workflowId) => problems.get(workflowId),
    async end() {
      clearInterval(timer)
      await Promise.allSettled([looking, ...underWay.values()])
    },
  }
}

async function beginWorkflow(starter: StarterContext, session: SessionRecord): Promise<boolean> {
  const { store, client, taskQueue, hostQueue, attributes } = starter
  const { session_id: sessionId } = session
  if (Date.now() - Date.parse(session.started_at) > START_WITHIN_MS) return await closeLateRequest(starter, session)
  const findings = (await store.sessions.listIssues(sessionId)).map(({ issue }) => issue)
  const instance = { taskQueue, hostQueue, attributes }
  const started = await startSessionWorkflow(client, { sessionId, session, findings, instance })
  if (started.kind === 'started') {
    await store.sessions.update(sessionId, { run_id: started.runId })
    // A session that has ended meanwhile still has its row.
    if (await store.sessions.get(sessionId)) return true
    // The session was discarded meanwhile, as it had no workflow yet.
    await terminateSessionWorkflow(client, { ...session, run_id: started.runId }, 'its start was given up')
    return false
  }
  await adoptWorkflow(starter, session)
  return true
}

/** Whoever started the workflow may have been killed before the store had its run. Returns whether there is a workflow. */
async function adoptWorkflow({ store, client }: StarterContext, session: SessionRecord): Promise<boolean> {
  const found = await describeWorkflow(client, session.workflow_id)
  if (found) await store.sessions.update(session.session_id, { run_id: getFirstRunId(found) })
  return found !== undefined
}

async function closeLateRequest(starter: StarterContext, session: SessionRecord): Promise<boolean> {
  if (await adoptWorkflow(starter, session)) return true
  const { home, store, log } = starter
  const { session_id: sessionId, started_at } = session
  const detail = `it was asked for at ${started_at}, and Temporal did not begin it within a day: the same command starts it anew`
  await closeLostSession(home, store, { sessionId, ending: { class: 'infrastructure', detail } })
  log.warn('a session that was never started is closed', { session_id: sessionId, asked_at: started_at })
  return false
}
