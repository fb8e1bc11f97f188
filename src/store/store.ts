// The store holds sessions, issues, events, agent calls, messages and artifact references. All processes of a FIXWRIGHT_HOME share it,
// and it survives the death of any of them at any moment.
import type { Finding } from '../domain/issue/parse-findings.ts'
import type { AgentCallTable } from './agent-calls.ts'
import type { ArtifactIndex } from './artifact-index.ts'
import type { EventLog } from './event-log.ts'
import type { IssueTable } from './issues.ts'
import type { AnswerTable, GrantTable, MessageLog } from './people.ts'
import type { NewSession, SessionCreation, SessionTable } from './sessions.ts'

export interface Store {
  /**
   * Inserts a session and its issues in one transaction, unless a living session has the same work or the same branch. If many start at
   * once, one succeeds and the others leave no trace.
   * `since`: when the caller checked the work. A session of it that has ended since may have moved the branch, or be the answer.
   * Gap: a session of another FIXWRIGHT_HOME is not seen; its workflow id keeps the work from being done twice.
   */
  createSession(session: NewSession, findings: readonly Finding[], since?: Date): Promise<SessionCreation>
  readonly sessions: SessionTable
  readonly issues: IssueTable
  readonly events: EventLog
  readonly agentCalls: AgentCallTable
  readonly artifacts: ArtifactIndex
  readonly answers: AnswerTable
  readonly grants: GrantTable
  readonly messages: MessageLog
  /** Yields once at the beginning, then after changes by any process (several at once count as one), until the signal aborts. */
  watch(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<void>
  /** Does not wait: queries under way on this connection fail. */
  close(): Promise<void>
}
