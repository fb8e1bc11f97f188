import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApplicationFailure } from '@temporalio/common'
import type { AgentDefinitions } from '../agents/definitions.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Refusal } from '../domain/errors/fixwright-error.ts'
import type { Finding } from '../domain/issue/parse-findings.ts'
import type { EventSubject, SessionEvent } from '../domain/session/events/index.ts'
import type { SessionOrder } from '../domain/session/parse-order.ts'
import type { FixSessionResult, SessionRecord } from '../domain/session/session.ts'
import type { IssueRecord } from '../domain/session/store-records.ts'
import type { Settings } from '../domain/settings/schema.ts'
import type { CommandAnswer, Lane } from '../domain/workflow-types/index.ts'
import type { TemporalUi } from '../domain/workflow-types/temporal-names.ts'
import { openLane } from '../platform/git/workspace/lanes.ts'
import type { Workspace } from '../platform/git/workspace/object-store.ts'
import { findWorkspace } from '../platform/git/workspace/workspace.ts'
import type { Masking } from '../platform/masking/mask-secrets.ts'
import type { NewSession } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'

export interface ActivityContext {
  readonly store: Store
  readonly artifacts: ArtifactStore
  readonly agents: AgentDefinitions
  readonly masking: Masking
  readonly sessionsFolder: string
  /** Holds one file per marker of what runs, for a successor of this worker. */
  readonly markersFolder: string
  /** Keeps the compiled code of the challenger's CLI and outlives every home; without it the CLI starts slower. */
  readonly compileCacheFolder?: string | undefined
  /** The worker's own environment; `agents` decides which part of it an agent gets. */
  readonly environment: NodeJS.ProcessEnv
  /** The task queue that only this host serves. */
  readonly hostQueue: string
  /** The public key by which seals of this home's doors are known; without it every sender is a claim. */
  readonly senderKey?: string | undefined
  /** By which this home knows its own posts on a forge. */
  readonly markerSecret: string
  /** The search attributes that the server knows. */
  readonly searchAttributes: readonly string[]
  /** Absent if nobody said where it is. */
  readonly temporalUi?: TemporalUi | undefined
  /** Tells people of a new event, without making anybody wait. */
  readonly announce?: ((event: SessionEvent) => void) | undefined
  /** The lane whose step this is, in sessions with several; its events say so. */
  readonly lane?: number | undefined
  /** Absent if this worker takes no orders. */
  readonly orders?: OrderPorts | undefined
}

/** Keeps a running activity alive in Temporal's eyes, and ends it. */
export interface Heartbeat {
  readonly signal: AbortSignal
  /** The end of the session's time, in milliseconds since the epoch; absent without a limit. */
  readonly endsAt?: number | undefined
  /** How many lanes share the session's budgets; absent if there is one. */
  readonly lanes?: number | undefined
  /** How long this attempt waited for a worker, said once: it counts for the first call only. */
  readonly takeQueuedMs?: (() => number | undefined) | undefined
  /** Sets the text that the Temporal UI shows from the next heartbeat on. */
  reportProgress(progress: string): void
}

/** The worker's knowledge beyond sessions: the home, its settings, Temporal. */
export interface OrderPorts {
  /** Checks everything that an order names, and writes nothing. */
  check(ordered: SessionOrder): Promise<OrderCheck>
  /** Closes sessions whose workflow is gone, because an order must not join them. */
  closeOrphans(): Promise<void>
  /** Says to a session what somebody has answered, who was checked. Returns why it was not taken. */
  answer(session: SessionRecord, answer: CommandAnswer, sender: CheckedSender): Promise<string | undefined>
  /** Asks a session to end, for the order that is forced. */
  cancel(session: SessionRecord, by: string): Promise<void>
}

export interface CheckedSender {
  readonly by: string
  readonly from: string
}

export type OrderCheck =
  | Refusal
  /** A session would do nothing, or another one did this work a moment ago. */
  | { readonly kind: 'idle' | 'answered'; readonly result: FixSessionResult }
  | { readonly kind: 'ready'; readonly prepared: PreparedOrder }

interface PreparedOrder {
  readonly session: NewSession
  readonly findings: readonly Finding[]
  readonly reviewText?: string | undefined
  /** The reason why the order may only join a running session. */
  readonly obstacle: Refusal | undefined
  readonly notes: readonly string[]
}

export interface Session {
  readonly id: string
  readonly record: SessionRecord
  readonly settings: Settings
  /** In the order in which they were requested. */
  readonly issues: readonly IssueRecord[]
}

export async function loadSession({ store }: Pick<ActivityContext, 'store'>, sessionId: string): Promise<Session> {
  const record = await store.sessions.get(sessionId)
  if (!record) {
    throw ApplicationFailure.nonRetryable(
      `the store has no session ${sessionId}: was FIXWRIGHT_HOME changed or emptied?`,
    )
  }
  const issues = (await store.sessions.listIssues(sessionId)).map(({ issue }) => issue)
  return { id: sessionId, record, settings: record.settings, issues }
}

export function sessionFolder({ sessionsFolder }: Pick<ActivityContext, 'sessionsFolder'>, sessionId: string): string {
  return join(sessionsFolder, sessionId)
}

export function todoFolderName(sessionId: string): string {
  return `fix_session_${sessionId}`
}

/** The todo files' folder where the settings want it among the system's temporary files. */
export function temporaryTodoFolder(sessionId: string): string {
  return join(tmpdir(), todoFolderName(sessionId))
}

export function workspaceFolder(context: Pick<ActivityContext, 'sessionsFolder'>, sessionId: string): string {
  return join(sessionFolder(context, sessionId), 'workspace')
}

/** The work tree of a step: that of its lane, in a session with several. */
export function loadWorkspace(context: ActivityContext, sessionId: string, lane?: Lane): Workspace {
  const folder = workspaceFolder(context, sessionId)
  const workspace = findWorkspace(folder)
  if (workspace) return lane && lane.number > 1 ? openLane(workspace, lane.number) : workspace
  throw ApplicationFailure.nonRetryable(
    `the workspace of session ${sessionId} is gone from ${folder}: start the same work again, it goes on from the last commit`,
  )
}

export function getIssue(session: Session, code: string): IssueRecord {
  const issue = session.issues.find(({ issue_code }) => issue_code === code)
  if (!issue) throw new Error(`session ${session.id} has no issue ${code}`)
  return issue
}

/** The fields by which an event names the issue that it belongs to. */
export function issueEventFields(session: Session, code: string): EventSubject & { readonly issue_code: string } {
  const index = session.issues.findIndex(({ issue_code }) => issue_code === code)
  const issue_id = session.issues[index]?.issue_id
  return {
    issue_code: code,
    total_issues: session.issues.length,
    ...(issue_id === undefined ? {} : { issue_id, issue_index: index + 1 }),
  }
}

/** A question without a code is about all issues. */
export function questionEventFields(session: Session, { code }: { readonly code?: string | undefined }): EventSubject {
  return code === undefined ? {} : issueEventFields(session, code)
}

/** The paths that no finding of the session names. */
export function pathsOutsideFindings({ issues }: Session, paths: readonly string[]): string[] {
  return paths.filter((path) => !issues.some(({ file }) => file === path))
}

/** The issues that the session has claimed; the others were done before, or another session has them. */
export function claimedIssues({ id, issues }: Session): IssueRecord[] {
  return issues.filter(({ status, session_id }) => status === 'in_progress' && session_id === id)
}
