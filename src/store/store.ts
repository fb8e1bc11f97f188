// The store: issues, sessions, events, calls of agents, what people said, and which session needs which artifact. Every process of a
// FIXWRIGHT_HOME shares it, and it survives the death of any of them at any moment.
import type { Finding } from '../domain/issue/parse-findings.ts'
import type { AgentCallTable } from './agent-calls.ts'
import type { ArtifactIndex } from './artifact-index.ts'
import type { EventLog } from './event-log.ts'
import type { IssueTable } from './issues.ts'
import type { AnswerTable, GrantTable, MessageLog } from './people.ts'
import type { NewSession, SessionCreation, SessionTable } from './sessions.ts'

export interface Store {
  /**
   * Puts a session and the words of its issues down in one step, and only where no other session is at the same work or on the
   * same branch: of many starts at once one begins, and none of the others leaves a trace.
   * `since`: when all was looked at. A session of this work that has ended by now may have moved the branch, or be the answer.
   * Gap: a session of another FIXWRIGHT_HOME is not seen; its workflow's id sees to it that the work is not done twice.
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
  /**
   * Once at the beginning, then after each change by any process; several that come close together are one. It ends when the
   * signal aborts.
   */
  watch(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<void>
  /** Waits for nothing: what is under way on this connection fails. */
  close(): Promise<void>
}
