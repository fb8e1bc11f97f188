// Calls of agents: claimed before the process is spawned, finished when its answer is safe. A claim that meets a finished
// call gets its answer instead of paying for it again; one that meets a started call takes over: that attempt is lost, and
// whatever it still wants to report is refused (the number is the fence). The markers of all lost attempts say which processes
// to end first: the attempt before may have died before it got to that.

import { calculateSpending, type MeteredCall, roundTokens, type Spending } from '../domain/budget/spending.ts'
import { AgentCallRecord } from '../domain/session/records.ts'
import type { StoreContext } from './row-mapping.ts'
import { fromRow, toPatch, toRow } from './row-mapping.ts'

export type NewAgentCall = Pick<AgentCallRecord, 'session_id' | 'key' | 'role'> &
  Partial<Pick<AgentCallRecord, 'marker' | 'model' | 'cli_session_id' | 'prompt_ref' | 'codes'>>

export type AgentCallReport = Partial<
  Pick<
    AgentCallRecord,
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
  >
>

export type AgentCallClaim =
  | { readonly kind: 'claimed'; readonly call: AgentCallRecord; readonly lost: readonly AgentCallRecord[] }
  | { readonly kind: 'finished'; readonly call: AgentCallRecord }

export interface AgentCallId {
  readonly session_id: string
  readonly key: string
  readonly attempt: number
}

const MeteredRow = AgentCallRecord.pick({ state: true, codes: true, cost_usd: true, cost_partial: true, tokens: true })

export type AgentCallTable = ReturnType<typeof createAgentCallTable>

export function createAgentCallTable({ db, now }: StoreContext) {
  return { claim, updateRunning, finish, abandon, findLatest, listForSession, listSpending, sumSpending }

  async function claim(call: NewAgentCall): Promise<AgentCallClaim> {
    return db.transaction().execute(async (tx): Promise<AgentCallClaim> => {
      const rows = await tx
        .selectFrom('calls')
        .selectAll()
        .where('session_id', '=', call.session_id)
        .where('key', '=', call.key)
        .orderBy('attempt')
        .execute()
      const earlier = rows.map((row) => fromRow(AgentCallRecord, row))
      const finished = earlier.find((attempt) => attempt.state === 'finished')
      if (finished) return { kind: 'finished', call: finished }
      await abandonStarted(tx).where('session_id', '=', call.session_id).where('key', '=', call.key).execute()
      const claimed = await tx
        .insertInto('calls')
        .values({ ...toRow(call), attempt: earlier.length + 1, state: 'started', started_at: now() })
        .returningAll()
        .executeTakeFirstOrThrow()
      return { kind: 'claimed', call: fromRow(AgentCallRecord, claimed), lost: earlier }
    })
  }

  /** What it noted of its cost while it ran is not all of it, unless it could still say itself how it failed. */
  function abandonStarted(on: Pick<StoreContext['db'], 'updateTable'>) {
    return on
      .updateTable('calls')
      .set(({ eb, ref }) => ({
        state: 'lost',
        finished_at: now(),
        cost_partial: eb.case().when('result', 'is', null).then('true').else(ref('cost_partial')).end(),
      }))
      .where('state', '=', 'started')
  }

  /** What becomes known while it runs, such as the CLI's own session id. False: it was taken over. */
  async function updateRunning(
    { session_id, key, attempt }: AgentCallId,
    report: AgentCallReport & { marker?: string },
  ): Promise<boolean> {
    const result = await db
      .updateTable('calls')
      .set(toPatch(report))
      .where('session_id', '=', session_id)
      .where('key', '=', key)
      .where('attempt', '=', attempt)
      .where('state', '=', 'started')
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /** False: it was taken over (or reported before), and this report counts for nothing. */
  async function finish({ session_id, key, attempt }: AgentCallId, report: AgentCallReport): Promise<boolean> {
    const result = await db
      .updateTable('calls')
      .set({ ...toPatch(report), state: 'finished', finished_at: now() })
      .where('session_id', '=', session_id)
      .where('key', '=', key)
      .where('attempt', '=', attempt)
      .where('state', '=', 'started')
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  /** The session has ended: whatever was still under way reports to nobody any more. */
  async function abandon(sessionId: string): Promise<void> {
    await abandonStarted(db).where('session_id', '=', sessionId).execute()
  }

  /** Its latest attempt. */
  async function findLatest(sessionId: string, key: string): Promise<AgentCallRecord | undefined> {
    const row = await db
      .selectFrom('calls')
      .selectAll()
      .where('session_id', '=', sessionId)
      .where('key', '=', key)
      .orderBy('attempt', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && fromRow(AgentCallRecord, row)
  }

  /** In the order in which they were started. */
  async function listForSession(sessionId: string): Promise<AgentCallRecord[]> {
    const rows = await db
      .selectFrom('calls')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('started_at')
      .orderBy('key')
      .orderBy('attempt')
      .execute()
    return rows.map((row) => fromRow(AgentCallRecord, row))
  }

  /** Only what it takes to add up what they cost: no answer, and nothing that grows with one. */
  async function listSpending(sessionId: string): Promise<MeteredCall[]> {
    const rows = await db
      .selectFrom('calls')
      .select(['state', 'codes', 'cost_usd', 'cost_partial', 'tokens'])
      .where('session_id', '=', sessionId)
      .execute()
    return rows.map((row) => fromRow(MeteredRow, row))
  }

  /** All of them together, for a record or an event. */
  async function sumSpending(sessionId: string): Promise<Spending> {
    return roundTokens(calculateSpending(await listSpending(sessionId)))
  }
}
