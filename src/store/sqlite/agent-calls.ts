import { calculateSpending, type MeteredCall, roundTokens, type Spending } from '../../domain/budget/spending.ts'
import { AgentCallRecord } from '../../domain/session/store-records.ts'
import type { AgentCallClaim, AgentCallId, AgentCallReport, AgentCallTable, NewAgentCall } from '../agent-calls.ts'
import { fromRow, toPatch, toRow } from './row-mapping.ts'
import type { StoreContext } from './tables.ts'

const MeteredRow = AgentCallRecord.pick({
  key: true,
  state: true,
  codes: true,
  cost_usd: true,
  cost_partial: true,
  tokens: true,
})

export function createAgentCallTable({ db, now }: StoreContext): AgentCallTable {
  return { claim, updateRunning, finish, abandon, findLatest, listForSession, listSpending, sumSpending }

  async function claim(call: NewAgentCall): Promise<AgentCallClaim> {
    return db.transaction().execute(async (tx): Promise<AgentCallClaim> => {
      const rows = await tx
        .selectFrom('agent_calls')
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
        .insertInto('agent_calls')
        .values({ ...toRow(call), attempt: earlier.length + 1, state: 'started', started_at: now() })
        .returningAll()
        .executeTakeFirstOrThrow()
      return { kind: 'claimed', call: fromRow(AgentCallRecord, claimed), lost: earlier }
    })
  }

  /** A lost call's cost is partial, unless the call still recorded a result itself. */
  function abandonStarted(on: Pick<StoreContext['db'], 'updateTable'>) {
    return on
      .updateTable('agent_calls')
      .set(({ eb, ref }) => ({
        state: 'lost',
        finished_at: now(),
        cost_partial: eb.case().when('result', 'is', null).then('true').else(ref('cost_partial')).end(),
      }))
      .where('state', '=', 'started')
  }

  async function updateRunning(
    { session_id, key, attempt }: AgentCallId,
    change: AgentCallReport & Partial<Pick<AgentCallRecord, 'marker' | 'state' | 'finished_at'>>,
  ): Promise<boolean> {
    const result = await db
      .updateTable('agent_calls')
      .set(toPatch(change))
      .where('session_id', '=', session_id)
      .where('key', '=', key)
      .where('attempt', '=', attempt)
      .where('state', '=', 'started')
      .executeTakeFirst()
    return result.numUpdatedRows > 0n
  }

  async function finish(call: AgentCallId, report: AgentCallReport): Promise<boolean> {
    return await updateRunning(call, { ...report, state: 'finished', finished_at: now() })
  }

  async function abandon(sessionId: string): Promise<void> {
    await abandonStarted(db).where('session_id', '=', sessionId).execute()
  }

  async function findLatest(sessionId: string, key: string): Promise<AgentCallRecord | undefined> {
    const row = await db
      .selectFrom('agent_calls')
      .selectAll()
      .where('session_id', '=', sessionId)
      .where('key', '=', key)
      .orderBy('attempt', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row && fromRow(AgentCallRecord, row)
  }

  async function listForSession(sessionId: string): Promise<AgentCallRecord[]> {
    const rows = await db
      .selectFrom('agent_calls')
      .selectAll()
      .where('session_id', '=', sessionId)
      .orderBy('started_at')
      .orderBy('key')
      .orderBy('attempt')
      .execute()
    return rows.map((row) => fromRow(AgentCallRecord, row))
  }

  async function listSpending(sessionId: string): Promise<MeteredCall[]> {
    const rows = await db
      .selectFrom('agent_calls')
      .select(['key', 'state', 'codes', 'cost_usd', 'cost_partial', 'tokens'])
      .where('session_id', '=', sessionId)
      .execute()
    return rows.map((row) => fromRow(MeteredRow, row))
  }

  async function sumSpending(sessionId: string): Promise<Spending> {
    return roundTokens(calculateSpending(await listSpending(sessionId)))
  }
}
