// The workflow of a session that lies in a store: its start, its view, its health, its end. The workflow's id is made from the
// idempotency key, so Temporal itself decides whether a start is a new session or joins a living one.
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import { defineSearchAttributeKey, type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common'
import type { SessionInput, SessionView } from '../domain/protocol/index.ts'
import { SESSION_MEMO, SESSION_QUERY, SESSION_WORKFLOW, toRepositoryAttribute } from '../domain/protocol/names.ts'
import { findRunningSessionId, findSessionRun, type SessionReference } from './describe-workflow.ts'

export interface SessionWorkflowOptions {
  readonly sessionId: string
  readonly workflowId: string
  readonly taskQueue: string
  /** Of the home that has the session in its store. */
  readonly homeQueue: string
  readonly repository: string
  /** One line for lists: what is to be fixed, where. */
  readonly summary: string
  /** Markdown: the issues as they were asked for. */
  readonly details: string
  /** Our search attributes that the server knows. */
  readonly attributes: readonly string[]
}

export type WorkflowStartResult =
  | { readonly kind: 'started'; readonly sessionId: string; readonly runId: string }
  | { readonly kind: 'running'; readonly sessionId: string }

/** Three answers, not two: a session that can't be reached has not ended. */
export type WorkflowHealth =
  | {
      readonly kind: 'running'
      readonly problem?: string | undefined
      /** For how long nobody took its next step, or everybody failed at it. */
      readonly stalledMs: number
    }
  | { readonly kind: 'ended'; readonly status: string }
  | { readonly kind: 'unknown' }

const VIEW_TIMEOUT_MS = 5_000
/** Characters; also where each has three bytes this is less than 16 KiB. */
const MAX_DETAILS_CHARS = 5_000

/** Starts the session, or tells which one of the same work is running. */
export async function startSessionWorkflow(
  client: Client,
  options: SessionWorkflowOptions,
): Promise<WorkflowStartResult> {
  const { sessionId, workflowId } = options
  for (;;) {
    try {
      const handle = await client.workflow.start(SESSION_WORKFLOW, {
        workflowId,
        taskQueue: options.taskQueue,
        args: [{ sessionId, homeQueue: options.homeQueue } satisfies SessionInput],
        memo: { [SESSION_MEMO]: sessionId },
        // A worker that dies in the middle of a task holds it for so long; a task takes milliseconds.
        workflowTaskTimeout: '3s',
        staticSummary: options.summary.slice(0, 130),
        staticDetails: limitDetails(options.details),
        typedSearchAttributes: buildSearchAttributes(options),
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      })
      return { kind: 'started', sessionId, runId: handle.firstExecutionRunId }
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      const running = await findRunningSessionId(client, workflowId)
      // It ended between the two questions: start again.
      if (running) return { kind: 'running', sessionId: running }
    }
  }
}

/** It is kept in the history, whose payloads are to stay small: as many lines as there is room for. */
function limitDetails(details: string): string {
  if (details.length <= MAX_DETAILS_CHARS) return details
  const room = details.slice(0, MAX_DETAILS_CHARS)
  return `${room.slice(0, room.lastIndexOf('\n'))}\n\n… and more`
}

/** Ends the session's workflow at once and without its doing anything about it: what is left of it is for others to close. */
export async function terminateSessionWorkflow(
  client: Client,
  session: SessionReference,
  reason: string,
): Promise<void> {
  const firstExecutionRunId = await findSessionRun(client, session)
  if (firstExecutionRunId === undefined) return
  try {
    await client.workflow.getHandle(session.workflow_id, undefined, { firstExecutionRunId }).terminate(reason)
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}

/** What the session shows of itself; it takes a worker to answer that. */
export async function querySessionView(client: Client, workflowId: string): Promise<SessionView> {
  return await client.withDeadline(Date.now() + VIEW_TIMEOUT_MS, () =>
    client.workflow.getHandle(workflowId).query<SessionView>(SESSION_QUERY),
  )
}

/** Whether the workflow is in trouble that no event of its own can tell, such as a task that fails again and again. */
export async function getWorkflowHealth(client: Client, workflowId: string): Promise<WorkflowHealth> {
  try {
    const { status, raw } = await client.workflow.getHandle(workflowId).describe()
    if (status.name !== 'RUNNING') return { kind: 'ended', status: status.name }
    const step = raw.pendingWorkflowTask
    const since = step?.originalScheduledTime ?? step?.scheduledTime
    const stalledMs = since ? Math.max(Date.now() - Number(since.seconds) * 1000, 0) : 0
    const attempt = step?.attempt ?? 1
    if (attempt < 2) return { kind: 'running', stalledMs }
    const problem = `its workflow task has failed ${attempt - 1} time(s) and is tried again`
    return { kind: 'running', problem, stalledMs }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'ended', status: 'NOT_FOUND' }
    return { kind: 'unknown' }
  }
}

function buildSearchAttributes({ attributes, repository }: SessionWorkflowOptions): TypedSearchAttributes {
  const values = { FixStatus: 'pending', FixRepository: toRepositoryAttribute(repository) }
  const pairs = Object.entries(values)
    .filter(([name]) => attributes.includes(name))
    .map(([name, value]): SearchAttributePair => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value }))
  return new TypedSearchAttributes(pairs)
}
