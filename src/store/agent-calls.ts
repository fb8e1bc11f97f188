import type { MeteredCall, Spending } from '../domain/budget/spending.ts'
import type { AgentCallRecord } from '../domain/session/records.ts'

/**
 * Calls of agents: claimed before the process is spawned, finished when its answer is safe. An attempt that another one took
 * over is lost, and whatever it still wants to report is refused: the number of the attempt is the fence.
 */
export interface AgentCallTable {
  /**
   * Answers a claim of a finished call with what it answered, instead of paying for it again. The markers of all lost attempts
   * say which processes to end first: the attempt before may have died before it got to that.
   */
  claim(call: NewAgentCall): Promise<AgentCallClaim>
  /** What becomes known while it runs, such as the CLI's own session id. False: it was taken over. */
  updateRunning(call: AgentCallId, report: AgentCallReport & { marker?: string }): Promise<boolean>
  /** False: it was taken over (or reported before), and this report counts for nothing. */
  finish(call: AgentCallId, report: AgentCallReport): Promise<boolean>
  /** The session has ended: whatever was still under way reports to nobody any more. */
  abandon(sessionId: string): Promise<void>
  /** Its latest attempt. */
  findLatest(sessionId: string, key: string): Promise<AgentCallRecord | undefined>
  /** In the order in which they were started. */
  listForSession(sessionId: string): Promise<AgentCallRecord[]>
  /** Only what it takes to add up what they cost: no answer, and nothing that grows with one. */
  listSpending(sessionId: string): Promise<MeteredCall[]>
  /** All of them together, for a record or an event. */
  sumSpending(sessionId: string): Promise<Spending>
}

export type NewAgentCall = Pick<AgentCallRecord, 'session_id' | 'key' | 'role' | 'codes'> &
  Partial<Pick<AgentCallRecord, 'marker' | 'model' | 'cli_session_id' | 'prompt_ref'>>

type ReportedFields =
  | 'model'
  | 'cli_session_id'
  | 'cost_usd'
  | 'cost_partial'
  | 'tokens'
  | 'duration_ms'
  | 'prompt_ref'
  | 'reply_ref'
  | 'transcript_ref'
  | 'result'

export type AgentCallReport = Partial<Pick<AgentCallRecord, ReportedFields>>

export type AgentCallClaim =
  | { readonly kind: 'claimed'; readonly call: AgentCallRecord; readonly lost: readonly AgentCallRecord[] }
  | { readonly kind: 'finished'; readonly call: AgentCallRecord }

export interface AgentCallId {
  readonly session_id: string
  readonly key: string
  readonly attempt: number
}
