import type { MeteredCall, Spending } from '../domain/budget/spending.ts'
import type { AgentCallRecord } from '../domain/session/store-records.ts'

/**
 * An agent call is claimed before its process starts and finished when its answer is stored. A new attempt makes the earlier one lost,
 * and the store refuses reports of a lost attempt: the attempt's number is the fence.
 */
export interface AgentCallTable {
  /**
   * Returns the record of a call that has finished, instead of paying for it again. Otherwise the markers of all lost attempts say which
   * processes to end first: the previous attempt may have died before it ended those of the attempts before it.
   */
  claim(call: NewAgentCall): Promise<AgentCallClaim>
  /** Records what becomes known during the run, such as the CLI's own session id. False: another attempt has taken over. */
  updateRunning(call: AgentCallId, report: AgentCallReport & { marker?: string }): Promise<boolean>
  /** False: another attempt has taken over, or the call has finished already, and this report is dropped. */
  finish(call: AgentCallId, report: AgentCallReport): Promise<boolean>
  /** Marks all running calls of an ended session as lost. */
  abandon(sessionId: string): Promise<void>
  findLatest(sessionId: string, key: string): Promise<AgentCallRecord | undefined>
  /** In the order of their start. */
  listForSession(sessionId: string): Promise<AgentCallRecord[]>
  /** Reads only the columns that costs are added up from, none that grows with an answer. */
  listSpending(sessionId: string): Promise<MeteredCall[]>
  /** The session's total, for a record or an event. */
  sumSpending(sessionId: string): Promise<Spending>
}

export type NewAgentCall = Pick<AgentCallRecord, 'session_id' | 'key' | 'role' | 'codes'> &
  Partial<Pick<AgentCallRecord, 'marker' | 'model' | 'cli_session_id' | 'prompt_ref' | 'queued_ms'>>

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
