// Starts, queries, checks and terminates the workflow of a session. Each session has a workflow id of its own, so a start that is
// repeated, or made by two at once, begins it once.

import {
  type Client,
  isGrpcCancelledError,
  isGrpcDeadlineError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { defineSearchAttributeKey, type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common'
import { FixwrightError } from '../domain/errors/fixwright-error.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import { renderMarkdownTable } from '../domain/text/markdown-table.ts'
import { truncateText } from '../domain/text/truncate.ts'
import type { SessionInput, SessionView } from '../domain/workflow-types/index.ts'
import {
  SESSION_MEMO,
  SESSION_QUERY,
  SESSION_WORKFLOWS,
  toRepositoryAttribute,
} from '../domain/workflow-types/temporal-names.ts'
import { describeRetries } from './describe-retries.ts'
import { findSessionRun, type SessionReference } from './describe-workflow.ts'

export interface SessionWorkflowOptions {
  readonly sessionId: string
  readonly session: Pick<SessionRecord, 'workflow_id' | 'repository_name'> & {
    readonly kind?: SessionRecord['kind'] | undefined
  }
  /** What is to be fixed, for people who look at the workflow. */
  readonly findings: readonly Pick<Finding, 'issue_code' | 'severity' | 'file' | 'title'>[]
  readonly instance: {
    readonly taskQueue: string
    /** The task queue of the home whose store holds the session. */
    readonly hostQueue: string
    /** The search attributes of ours that the server has registered. */
    readonly attributes: readonly string[]
  }
}

/** `exists`: the session's workflow was started before. */
export type WorkflowStartResult = { readonly kind: 'started'; readonly runId: string } | { readonly kind: 'exists' }

/** `unknown` is separate because a session that can't be reached has not ended. */
export type WorkflowHealth =
  | {
      readonly kind: 'running'
      readonly problem?: string | undefined
      /** For how long no worker has taken the workflow's next task, or every try at it has failed. */
      readonly stalledMs: number
    }
  /** Temporal does not take it, which is tried again. */
  | { readonly kind: 'unstarted'; readonly problem: string }
  | { readonly kind: 'ended'; readonly status: string }
  | { readonly kind: 'unknown' }

const VIEW_TIMEOUT_MS = 5_000
/** In characters; even at three bytes each this stays below 16 KiB. */
const MAX_DETAILS_CHARS = 5_000

/** Starts the session, unless somebody has. */
export async function startSessionWorkflow(
  client: Client,
  { sessionId, session, findings, instance }: SessionWorkflowOptions,
): Promise<WorkflowStartResult> {
  const { workflow_id: workflowId, repository_name: repository, kind = 'fix' } = session
  try {
    const handle = await client.workflow.start(SESSION_WORKFLOWS[kind], {
      workflowId,
      taskQueue: instance.taskQueue,
      args: [{ sessionId, homeQueue: instance.hostQueue } satisfies SessionInput],
      memo: { [SESSION_MEMO]: sessionId },
      // A worker that dies in the middle of a task blocks it for this long; a task takes milliseconds.
      workflowTaskTimeout: '3s',
      staticSummary: truncateText(
        kind === 'fix' ? `fix ${findings.length} issue(s) in ${repository}` : `${kind} ${repository}`,
        130,
      ),
      ...(findings.length === 0 ? {} : { staticDetails: describeFindings(findings) }),
      typedSearchAttributes: buildSearchAttributes(sessionId, repository, instance.attributes),
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    })
    return { kind: 'started', runId: handle.firstExecutionRunId }
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'exists' }
    throw error
  }
}

/** A Markdown table of as many findings as fit: it goes into the history, whose payloads should stay small. */
function describeFindings(findings: SessionWorkflowOptions['findings']): string {
  const rows = findings.map(({ issue_code, severity, file, title }) =>
    [issue_code, severity, file, title].map((text) => truncateText(text, 120)),
  )
  const details = renderMarkdownTable(['issue', 'severity', 'file', 'title'], rows)
  if (details.length <= MAX_DETAILS_CHARS) return details
  const room = details.slice(0, MAX_DETAILS_CHARS)
  return `${room.slice(0, room.lastIndexOf('\n'))}\n\n… and more`
}

/** Ends the session's workflow at once. The workflow cleans nothing up, so the caller has to close the session. */
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

/** Asks the session's workflow for its view; only a running worker can answer. */
export async function querySessionView(client: Client, workflowId: string): Promise<SessionView> {
  try {
    return await client.withDeadline(Date.now() + VIEW_TIMEOUT_MS, () =>
      client.workflow.getHandle(workflowId).query<SessionView>(SESSION_QUERY),
    )
  } catch (error) {
    if (!isGrpcDeadlineError(error) && !isGrpcCancelledError(error)) throw error
    const problem = `no worker has said within ${VIEW_TIMEOUT_MS / 1000} s how far ${workflowId} is`
    throw new FixwrightError(
      'instance_unavailable',
      `${problem}: run "fixwright up" in its home, or ask again if that is busy`,
    )
  }
}

/** Finds trouble that the workflow can't report by an event, such as a task that fails again and again. */
export async function getWorkflowHealth(client: Client, workflowId: string): Promise<WorkflowHealth> {
  try {
    const described = await client.workflow.getHandle(workflowId).describe()
    const { status, raw } = described
    if (status.name !== 'RUNNING') return { kind: 'ended', status: status.name }
    const step = raw.pendingWorkflowTask
    const since = step?.originalScheduledTime ?? step?.scheduledTime
    const stalledMs = since ? Math.max(Date.now() - Number(since.seconds) * 1000, 0) : 0
    const attempt = step?.attempt ?? 1
    if (attempt < 2) return { kind: 'running', problem: await describeRetries(client, described), stalledMs }
    const problem = `its workflow task has failed ${attempt - 1} time(s) and is tried again`
    return { kind: 'running', problem, stalledMs }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'ended', status: 'NOT_FOUND' }
    return { kind: 'unknown' }
  }
}

function buildSearchAttributes(
  sessionId: string,
  repository: string,
  attributes: readonly string[],
): TypedSearchAttributes {
  const values = { FixSession: sessionId, FixStatus: 'pending', FixRepository: toRepositoryAttribute(repository) }
  const pairs = Object.entries(values)
    .filter(([name]) => attributes.includes(name))
    .map(([name, value]): SearchAttributePair => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value }))
  return new TypedSearchAttributes(pairs)
}
