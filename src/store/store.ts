// The store holds sessions, issues, events, agent calls, messages and artifact references. All processes of a FIXWRIGHT_HOME share it,
// and it survives the death of any of them at any moment.
import type { Finding } from '../domain/issue/parse-findings.ts'
import type { NewEvent, SessionEvent } from '../domain/session/events/index.ts'
import type { SessionArtifact } from '../domain/session/store-records.ts'
import type { AuditLog, RequestKeyTable, TokenTable } from './access.ts'
import type { AgentCallTable } from './agent-calls.ts'
import type { ImportTable } from './imports.ts'
import type { IssueTable } from './issues.ts'
import type { AnswerTable, GrantTable, MessageLog } from './people.ts'
import type { RepositoryTable } from './repositories.ts'
import type { NewSession, SessionCreation, SessionTable } from './sessions.ts'
import type { StatisticsReader } from './statistics.ts'
import type { WebhookTable } from './webhooks.ts'

export interface Store {
  /**
   * Inserts a session, its issues and a repository that is new in one transaction, unless a living session has the same work or the same
   * branch. If many start at once, one succeeds and the others leave no trace.
   * `since`: when the caller checked the work. A session of it that has ended since may have moved the branch, or be the answer.
   * Gap: a session of another FIXWRIGHT_HOME is not seen, and may do the same work.
   */
  createSession(session: NewSession, findings: readonly Finding[], since?: Date): Promise<SessionCreation>
  /** Gives a session the issues that it is to fix, which it has found itself. Safe to repeat. */
  adoptFindings(sessionId: string, findings: readonly Finding[]): Promise<void>
  readonly repositories: RepositoryTable
  readonly sessions: SessionTable
  readonly issues: IssueTable
  readonly imports: ImportTable
  readonly events: EventLog
  readonly agentCalls: AgentCallTable
  readonly artifacts: ArtifactIndex
  readonly answers: AnswerTable
  readonly grants: GrantTable
  readonly messages: MessageLog
  readonly tokens: TokenTable
  readonly audit: AuditLog
  readonly requestKeys: RequestKeyTable
  readonly webhooks: WebhookTable
  readonly statistics: StatisticsReader
  /** Yields once at the beginning, then after changes by any process (several at once count as one), until the signal aborts. */
  watch(options?: StoreWatchOptions): AsyncIterable<void>
  /** Reads the whole store; throws if it is damaged. */
  check(): void
  /** Does not wait: queries under way on this connection fail. */
  close(): Promise<void>
}

export interface StoreWatchOptions {
  readonly signal?: AbortSignal | undefined
}

/** Append-only. Each session's events are numbered without gaps, each key is there once, and nothing follows the terminal event. */
export interface EventLog {
  /**
   * Returns the events it added. Events whose key is there already are left out, and so are events after the terminal one (a late line
   * of a cancelled agent call).
   */
  append(sessionId: string, events: readonly NewEvent[]): Promise<SessionEvent[]>
  /** At most `limit` events, by default 1000. */
  listAfter(sessionId: string, seq?: number, limit?: number): Promise<SessionEvent[]>
  listAll(sessionId: string): Promise<SessionEvent[]>
  findLast(sessionId: string): Promise<SessionEvent | undefined>
  /** The sessions with events after this mark of an earlier answer; without one, only the mark. A mark holds for this process. */
  listChangesAfter(mark?: number): Promise<EventChanges>
}

export interface EventChanges {
  readonly mark: number
  /** Each with the number of its last event. */
  readonly changes: readonly { readonly session_id: string; readonly seq: number }[]
}

/**
 * Records which session needs which artifact. Sessions share equal content, so it may be removed only when no session references it.
 * A session's references end some days after the session.
 */
export interface ArtifactIndex {
  /** A second link of the same name replaces the first: an activity that runs twice leaves the later content. */
  link(artifact: Omit<SessionArtifact, 'created_at'>): Promise<void>
  listForSession(sessionId: string, filter?: ArtifactFilter): Promise<SessionArtifact[]>
  /** The newest artifact of that name in any session. */
  findLatest(kind: SessionArtifact['kind'], name: string): Promise<SessionArtifact | undefined>
  /** Removes the references of sessions that ended before this time. */
  releaseEndedBefore(time: string): Promise<void>
  listReferencedRefs(): Promise<ReadonlySet<string>>
  /** The references of sessions that have not ended, and of imports. */
  listRefsInUse(): Promise<ReadonlySet<string>>
}

export type ArtifactFilter = Partial<Pick<SessionArtifact, 'kind' | 'name' | 'issue_code'>>
